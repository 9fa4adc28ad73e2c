// The whole path of a program of hardly any cost: command, model, default level of isolation, commits, end. OpenEvolve,
// which isolates nothing, makes as many programs of the same problem with the same model in the same bench.
import { join } from 'node:path';
import type { TestHome } from '../../support/machine/home.ts';
import type { Judge } from '../conditions.ts';
import { installOpenEvolve, measuredCommand, runOpenEvolve } from '../peer/openevolve.ts';
import { ClockedModel } from './clocked-model.ts';
import { homeCpu } from './engine.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const NODE = join(ROOT, 'node_modules', '.bin', 'node');
const TASK = 'toy-digits';
const IN_FLIGHT = 32;
const SAMPLE_MS = 1_000;
const LATENCY_MS = 1_000;
const FEW = 320;
const MANY = 1_600;

type System = 'stream' | 'theta' | 'openevolve';
type Case = { readonly system: System; readonly latencyMs: number; readonly programs: number };
type Row = Case & {
  readonly wallSeconds: number;
  /** From the command to the first request. */
  readonly startSeconds: number;
  /** From the last answer to the end of the command. */
  readonly tailSeconds: number;
  readonly programsPerSecond: number;
  readonly shareOfIdeal: number | null;
  readonly cpuMsPerProgram: number;
  readonly byProcess: Readonly<Record<string, number>>;
};

const CASES: readonly Case[] = [
  ...(['stream', 'openevolve'] as const).map((system) => ({ system, latencyMs: 0, programs: FEW })),
  ...(['stream', 'theta', 'openevolve'] as const).map((system) => ({
    system,
    latencyMs: LATENCY_MS,
    programs: MANY,
  })),
];
const FLAGS: Readonly<Record<'stream' | 'theta', readonly string[]>> = {
  stream: ['--method', 'openevolve', '--set', 'schedule=continuous', '--set', `inFlight=${IN_FLIGHT}`],
  theta: ['--method', 'theta', '--batch', String(IN_FLIGHT), '--responses', '1'],
};

const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits));

/** CPU seconds of a run by process. */
const ours = async (home: TestHome, url: string, { system, programs, latencyMs }: Case) => {
  const cpu = await homeCpu(home);
  const before = cpu();
  const sampling = setInterval(cpu, SAMPLE_MS);
  try {
    const flags = ['--run', `${system}-${latencyMs}`, '--task', TASK, '--seed', '1', ...FLAGS[system as 'stream']];
    const limit = ['--max-programs', String(programs), '--base-url', url, '--model', 'offline-gp'];
    const command = [NODE, join(ROOT, 'cli', 'main.ts'), 'run', ...flags, ...limit];
    const { cpuSeconds } = await measuredCommand(command, { env: home.env, cwd: ROOT });
    const used = Object.entries(cpu()).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)] as const);
    return Object.fromEntries([...used, ['evolve run', cpuSeconds]]) as Readonly<Record<string, number>>;
  } finally {
    clearInterval(sampling);
  }
};

const measure = async (
  one: Case,
  model: ClockedModel,
  run: () => Promise<Readonly<Record<string, number>>>,
): Promise<Row> => {
  const began = Date.now();
  const cpuSeconds = Object.entries(await run());
  const ended = Date.now();
  const { firstRequest, lastAnswer } = model.take();
  const wallSeconds = (ended - began) / 1000;
  const perProgram = (seconds: number): number => rounded((1000 * seconds) / one.programs);
  const ideal = (one.programs / IN_FLIGHT) * (one.latencyMs / 1000);
  return {
    ...one,
    wallSeconds: rounded(wallSeconds, 1),
    startSeconds: rounded((firstRequest - began) / 1000),
    tailSeconds: rounded((ended - lastAnswer) / 1000),
    programsPerSecond: rounded(one.programs / wallSeconds, 1),
    // Between the first request and the last answer.
    shareOfIdeal: ideal === 0 ? null : rounded((1000 * ideal) / (lastAnswer - firstRequest), 3),
    cpuMsPerProgram: perProgram(cpuSeconds.reduce((sum, [, seconds]) => sum + seconds, 0)),
    byProcess: Object.fromEntries(cpuSeconds.map(([name, seconds]) => [name, perProgram(seconds)])),
  };
};

export const benchWholePath = async (
  home: TestHome,
  say: (line: string) => void,
  judge: Judge,
  flags: { readonly openevolve: boolean },
): Promise<object> => {
  const peer = flags.openevolve ? await installOpenEvolve(join(home.dir, 'openevolve')) : { skipped: 'not asked for' };
  if ('skipped' in peer) say(`  OpenEvolve: ${peer.skipped}`);
  const rows: Row[] = [];
  for (const one of CASES) {
    if (one.system === 'openevolve' && 'skipped' in peer) continue;
    const model = await ClockedModel.start('--latency-ms', String(one.latencyMs));
    try {
      const row = await measure(one, model, async () =>
        'file' in peer && one.system === 'openevolve'
          ? {
              all: await runOpenEvolve(peer.file, join(home.dir, `peer-${one.latencyMs}`), {
                ...one,
                url: model.url,
                inFlight: IN_FLIGHT,
              }),
            }
          : ours(home, model.url, one),
      );
      rows.push(row);
      const { system, programs, latencyMs, byProcess, ...figures } = row;
      say(
        `  ${system}, ${programs} programs, ${latencyMs} ms: ${JSON.stringify(figures)} ${JSON.stringify(byProcess)}`,
      );
    } finally {
      await model.stop();
    }
  }
  return { wholePath: rows, ...verdicts(rows, say, judge) };
};

/** The goals; figures beside OpenEvolve's are ratios of one bench. */
const verdicts = (rows: readonly Row[], say: (line: string) => void, judge: Judge): object => {
  const of = (system: System, latencyMs: number): Row | undefined =>
    rows.find((row) => row.system === system && row.latencyMs === latencyMs);
  const [stream, slow, theta] = [of('stream', 0)!, of('stream', LATENCY_MS)!, of('theta', LATENCY_MS)!];
  const beside = (row: Row): number | null => {
    const peer = of('openevolve', row.latencyMs);
    return peer === undefined ? null : rounded(row.cpuMsPerProgram / peer.cpuMsPerProgram);
  };
  const goals = [
    { what: `CPU of a program beside OpenEvolve, ${FEW} programs, 0 ms`, value: beside(stream), atMost: 1 },
    { what: `CPU of a program beside OpenEvolve, ${MANY} programs, 1 s`, value: beside(slow), atMost: 0.5 },
    { what: 'programs a second without latency', value: stream.programsPerSecond, atLeast: 60 },
    { what: 'share of the ideal, stream', value: slow.shareOfIdeal, atLeast: 0.97 },
    { what: 'share of the ideal, theta', value: theta.shareOfIdeal, atLeast: 0.92 },
    { what: 'command to first request', value: slow.startSeconds, atMost: 1.5, unit: ' s' },
    { what: 'last answer to end', value: slow.tailSeconds, atMost: 1, unit: ' s' },
  ];
  for (const goal of goals) say(`  ${goal.what}: ${goal.value}; ${judge(goal).text}`);
  const { cpuMsPerProgram, tailSeconds, startSeconds, shareOfIdeal } = slow;
  return { shareOfIdeal, cpuMsPerProgram, tailSeconds, startSeconds };
};
