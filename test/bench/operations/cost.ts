// What a program costs in CPU of all that is this home's, and how much of it metrics are: the same run goes on with
// metrics and without, in turns, and somebody asks for them as Prometheus does.
import { metricsTargets } from '../../../deploy/host/telemetry.ts';
import { startModel, type TestHome, until } from '../../support/machine/home.ts';
import { homeCpu } from '../engine/engine.ts';
import type { OperationsSuite } from '../operations.ts';

const RUN = 'cost';
/** Without a goal of its own; a home's processes are new code to the machine for about so long. */
const WARM_STEPS = 2;
/** Prometheus asks every 15 s or less often by default. */
const SCRAPE_MS = 5_000;
const MOST_MS = 5;
const MOST_METRICS_MS = 0.2;

type Size = {
  readonly batch: number;
  readonly responses: number;
  /** Steps that a window measures. */
  readonly window: number;
  /** A round has two windows with metrics between two without, so that what drifts evenly falls out. */
  readonly rounds: number;
};
type Mode = 'on' | 'off';
type Window = {
  readonly mode: Mode;
  readonly msPerProgram: number;
  readonly byProcess: Readonly<Record<string, number>>;
};

const must = async (home: TestHome, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<void> => {
  const { code, stdout, stderr } = await home.evolve(args, env);
  if (code !== 0) throw new Error(`evolve ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
};

const total = (byProcess: Readonly<Record<string, number>>): number =>
  Object.values(byProcess).reduce((sum, seconds) => sum + seconds, 0);
const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;
const rounded = (value: number): number => Number(value.toFixed(3));

const measure = async (home: TestHome, { batch, responses, window, rounds }: Size): Promise<readonly Window[]> => {
  const { MongoClient } = await import('mongodb');
  const client = new MongoClient(home.up()['database'].uri as string);
  const runs = client.db('durable_evolve').collection<{ _id: string; committedStep: number; status: string }>('runs');
  const committed = async (): Promise<number> => {
    const run = await runs.findOne({ _id: RUN }, { projection: { committedStep: 1, status: 1 } });
    if (run?.status === 'needs attention') throw new Error(`the bench run needs attention: evolve status ${RUN}`);
    return run?.committedStep ?? -1;
  };
  const inMode = async (mode: Mode): Promise<Window> => {
    await must(home, ['up'], { EVOLVE_METRICS: mode });
    const cpu = await homeCpu(home);
    /** What was used until this step is committed. Looks often, because processes come and go. */
    const at = async (step: number) => {
      await until(`step ${step}`, 900_000, async () => {
        cpu();
        return (await committed()) >= step;
      });
      return { step: await committed(), used: cpu() };
    };
    const from = await at((await committed()) + 1 + WARM_STEPS);
    const scraping = setInterval(() => {
      for (const { url } of metricsTargets({ root: home.dir })) void fetch(url).then((answer) => answer.text());
    }, SCRAPE_MS);
    try {
      const to = await at(from.step + window);
      const programs = (to.step - from.step) * batch * responses;
      const perProgram = (now: number, before = 0): number => rounded((1000 * (now - before)) / programs);
      return {
        mode,
        msPerProgram: perProgram(total(to.used), total(from.used)),
        byProcess: Object.fromEntries(
          Object.entries(to.used).map(([name, seconds]) => [name, perProgram(seconds, from.used[name])]),
        ),
      };
    } finally {
      clearInterval(scraping);
    }
  };
  try {
    const windows: Window[] = [];
    for (let round = 0; round < rounds; round += 1)
      for (const mode of ['off', 'on', 'on', 'off'] as const) windows.push(await inMode(mode));
    return windows;
  } finally {
    await client.close();
  }
};

export const costWith =
  (size: Size): OperationsSuite<'cpuMsPerProgram' | 'metricsCpuMsPerProgram'> =>
  async (home, say, judge) => {
    const model = await startModel('--trivial');
    try {
      await must(home, ['up'], { EVOLVE_METRICS: 'off' });
      const settings = ['--seed', '1', '--batch', String(size.batch), '--responses', String(size.responses)];
      const offline = ['--base-url', model.url, '--model', 'offline-gp', '--set', 'evaluation.sandbox=noop'];
      await must(home, ['run', '--run', RUN, '--steps', '100000', ...settings, ...offline, '--detach']);
      const windows = await measure(home, size);
      await must(home, ['stop', RUN, '--now']);
      const of = (mode: Mode): readonly number[] =>
        windows.filter((one) => one.mode === mode).map(({ msPerProgram }) => msPerProgram);
      for (const { mode, msPerProgram, byProcess } of windows)
        say(`    metrics ${mode}: ${msPerProgram} ms of CPU a program  ${JSON.stringify(byProcess)}`);
      const cpuMsPerProgram = rounded(mean(of('on')));
      const metricsCpuMsPerProgram = rounded(cpuMsPerProgram - mean(of('off')));
      const spread = rounded(Math.max(...of('off')) - Math.min(...of('off')));
      const whole = judge({ what: 'CPU per program, ms', value: cpuMsPerProgram, atMost: MOST_MS });
      const metrics = judge({
        what: 'CPU of metrics per program, ms',
        value: metricsCpuMsPerProgram,
        atMost: MOST_METRICS_MS,
      });
      say(`    the whole, with metrics: ${cpuMsPerProgram} ms a program; ${whole.text}`);
      say(
        `    metrics alone: ${metricsCpuMsPerProgram} ms a program (windows without differ by ${spread}); ${metrics.text}`,
      );
      return { cpuMsPerProgram, metricsCpuMsPerProgram };
    } finally {
      await model.stop();
    }
  };

export const costSuite: OperationsSuite<'cpuMsPerProgram' | 'metricsCpuMsPerProgram'> = (home, say, judge, flags) =>
  costWith({ batch: 32, responses: 16, window: 4, rounds: flags.full ? 4 : 1 })(home, say, judge, flags);
