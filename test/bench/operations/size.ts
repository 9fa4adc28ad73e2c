// A long run that evaluates nothing: whether history, database, memory, disk and the time of a step stay inside their
// bounds, however many steps and programs there are. The short form is 300 steps of 100 programs, `--full` 10,000 steps
// and a million programs.
import { Client, Connection } from '@temporalio/client';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { resolveHome } from '../../../deploy/host/home.ts';
import { startModel, type TestHome } from '../../support/machine/home.ts';
import { residentOf, sampleHome } from '../processes.ts';
import type { OperationsSuite } from '../operations.ts';

const RUN = 'size';
const BATCH = 10;
const RESPONSES = 10;
const PER_STEP = BATCH * RESPONSES;
const STEPS = 300;
const STEPS_FULL = 10_000;
const LOOK_MS = 500;
/** Of each long form a look every so many steps is kept. */
const LOOKS = 100;

/** They hold for any number of steps. The server warns of a history at 10,240 events or 10 MB. */
const BOUNDS = {
  eventsOfExecution: 2_000,
  bytesOfExecution: 1e6,
  databaseBytesPerProgram: 12_000,
  temporalBytesPerStep: 150_000,
  /** Of the last quarter beside the second one; the first one fills caches and the population. */
  residentGrowth: 1.25,
  stepGrowth: 1.25,
} as const;

type Look = {
  readonly step: number;
  readonly atMs: number;
  readonly database: number;
  readonly temporal: number;
  readonly resident: Readonly<Record<string, number>>;
};

/** A folder or file; what disappears meanwhile counts nothing. */
const bytesOf = (path: string): number => {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
};

const temporalBytes = (home: TestHome): number =>
  readdirSync(home.dir)
    .filter((name) => name.startsWith('temporal.db'))
    .reduce((sum, name) => sum + bytesOf(join(home.dir, name)), 0);

export const sizeSuite: OperationsSuite<'size'> = async (home, say, judge, { full }) => {
  const last = full ? STEPS_FULL : STEPS;
  const up = await home.evolve(['up']);
  if (up.code !== 0) throw new Error(`${up.stdout}${up.stderr}`);
  const model = await startModel('--trivial');
  const client = new MongoClient(home.up().database.uri as string);
  const connection = await Connection.connect({ address: home.up().temporal.address });
  const runs = client.db('durable_evolve').collection<{ _id: string; committedStep: number; status: string }>('runs');
  const { hash } = resolveHome(home.env);
  const look = (step: number): Look => ({
    step,
    atMs: performance.now(),
    database: bytesOf(join(home.dir, 'mongo')),
    temporal: temporalBytes(home),
    resident: residentOf(sampleHome(hash, home.up().processes)),
  });
  try {
    const run = await home.evolve([
      ...['run', '--run', RUN, '--seed', '1', '--batch', String(BATCH), '--responses', String(RESPONSES)],
      ...['--steps', String(last), '--base-url', model.url, '--model', 'offline-gp'],
      ...['--set', 'evaluation.sandbox=noop', '--detach'],
    ]);
    if (run.code !== 0) throw new Error(`${run.stdout}${run.stderr}`);
    const looks: Look[] = [];
    for (let seen = -1; seen < last;) {
      await sleep(LOOK_MS);
      // It watches for hours, and a look that fails is tried again.
      const found = await runs.findOne({ _id: RUN }, { projection: { committedStep: 1, status: 1 } }).catch(() => null);
      if (found?.status === 'needs attention') throw new Error(`the run needs attention: evolve status ${RUN}`);
      const step = found?.committedStep ?? -1;
      if (step <= seen || (step < last && step < seen + last / LOOKS)) continue;
      seen = step;
      looks.push(look(step));
    }
    const figures = {
      steps: last,
      programs: last * PER_STEP,
      ...(await longestHistories(new Client({ connection, namespace: home.up().temporal.namespace }))),
      ...slopes(looks, last),
    };
    for (const [name, value] of Object.entries(figures)) {
      const bound = name in BOUNDS ? BOUNDS[name as keyof typeof BOUNDS] : null;
      if (bound === null) {
        say(`    ${name}: ${JSON.stringify(value)}`);
        continue;
      }
      // Times and memory of a busy machine say little; the others are the same on any.
      const timed = name === 'stepGrowth';
      const outside = !timed && (value as number) > bound;
      if (outside) process.exitCode = 1;
      const verdict = judge({ what: name, value: value as number, atMost: bound }).text;
      say(`    ${name}: ${JSON.stringify(value)}; ${outside ? `OUTSIDE its bound of ${bound}` : verdict}`);
    }
    return { size: figures };
  } finally {
    await connection.close();
    await client.close();
    await model.stop();
  }
};

/** Of the run's executions, each of some tens of steps, and of those of its steps. */
const longestHistories = async (client: Client) => {
  let [eventsOfExecution, bytesOfExecution, executions] = [0, 0, 0];
  for await (const { historyLength, historySize = 0 } of client.workflow.list({ query: `EvoRunId = "${RUN}"` })) {
    eventsOfExecution = Math.max(eventsOfExecution, historyLength);
    bytesOfExecution = Math.max(bytesOfExecution, historySize);
    executions += 1;
  }
  return { executions, eventsOfExecution, bytesOfExecution };
};

const slopes = (looks: readonly Look[], last: number) => {
  const at = (share: number): Look => looks.find(({ step }) => step >= share * last) ?? looks.at(-1)!;
  const [quarter, half, threeQuarters, end] = [0.25, 0.5, 0.75, 1].map(at) as [Look, Look, Look, Look];
  const perStep = (from: Look, to: Look): number => (to.atMs - from.atMs) / Math.max(1, to.step - from.step);
  const between = (of: 'database' | 'temporal', from: Look, to: Look): number =>
    Math.round((to[of] - from[of]) / Math.max(1, to.step - from.step));
  const round = (value: number): number => Number(value.toFixed(3));
  const megabytes = (sizes: Look['resident']): Record<string, number> =>
    Object.fromEntries(Object.entries(sizes).map(([name, bytes]) => [name, Math.round(bytes / 1e6)]));
  const most = (from: Look, to: Look): number =>
    Math.max(
      ...looks
        .filter(({ step }) => step >= from.step && step <= to.step)
        .map(({ resident }) => resident['worker'] ?? 0),
    );
  return {
    stepMs: { secondQuarter: Math.round(perStep(quarter, half)), lastQuarter: Math.round(perStep(threeQuarters, end)) },
    stepGrowth: round(perStep(threeQuarters, end) / perStep(quarter, half)),
    databaseBytesPerProgram: Math.round(between('database', quarter, end) / PER_STEP),
    databaseBytesPerProgramByQuarter: [
      [quarter, half] as const,
      [half, threeQuarters] as const,
      [threeQuarters, end] as const,
    ].map(([from, to]) => Math.round(between('database', from, to) / PER_STEP)),
    temporalBytesPerStep: between('temporal', quarter, end),
    residentMegabytes: { atAQuarter: megabytes(quarter.resident), atTheEnd: megabytes(end.resident) },
    residentGrowth: round(most(threeQuarters, end) / most(quarter, half)),
    diskMegabytes: Math.round((end.database + end.temporal) / 1e6),
  };
};
