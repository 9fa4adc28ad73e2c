// A fifth of all workers killed again and again while a run goes on: engine, model and evaluation, those that the
// supervisor keeps and those of `evolve worker`, which whoever started them starts again. Every program has to be there
// at the end, and none twice.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { runs as isRunning, startModel, type TestHome, until } from '../../support/machine/home.ts';
import type { OperationsSuite } from '../operations.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NODE = join(ROOT, 'node_modules', '.bin', 'node');
const RUN = 'restarts';
/** With those of the stack (engine and model in one process, evaluation in another) ten processes. */
const HOSTS = ['engine', 'engine', 'model', 'model', 'evaluation', 'evaluation', 'evaluation', 'evaluation'] as const;
const OF_STACK = ['worker', 'sandbox'] as const;
const KILLED_AT_ONCE = Math.round((HOSTS.length + OF_STACK.length) / 5);
const SHORT = { everyMs: 10_000, rounds: 12 };
/** An hour. */
const LONG = { everyMs: 120_000, rounds: 30 };
const BATCH = 4;
const RESPONSES = 8;
const MODEL_MS = 300;
const EVALUATION_MS = 300;

/** Processes that are started again as often as they end, until `close`. */
const hostsOf = (home: TestHome) => {
  const { temporal, database } = home.up();
  const hosts: ChildProcess[] = [];
  let closing = false;
  const ended: Promise<unknown>[] = [];
  const start = (at: number): void => {
    const role = HOSTS[at]!;
    const folder = join(home.dir, 'hosts', String(at));
    mkdirSync(folder, { recursive: true });
    const child = spawn(NODE, [join(ROOT, 'cli', 'main.ts'), 'worker', role, '--slots', '8'], {
      env: {
        ...home.env,
        EVOLVE_HOME: folder,
        EVOLVE_SANDBOX: 'none',
        EVOLVE_NOOP_MS: String(EVALUATION_MS),
        TEMPORAL_ADDRESS: temporal.address,
        MONGODB_URI: database.uri,
      },
      stdio: 'ignore',
    });
    hosts[at] = child;
    const end = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    ended.push(end);
    void end.then(() => (closing ? undefined : start(at)));
  };
  for (const at of HOSTS.keys()) start(at);
  return {
    /** False where the process is just being started again. */
    kill: (at: number): boolean => hosts[at]!.kill('SIGKILL'),
    async close() {
      closing = true;
      for (const child of hosts) child.kill('SIGKILL');
      await Promise.all(ended);
    },
  };
};

const killPart = (home: TestHome, name: (typeof OF_STACK)[number]): boolean => {
  const pid = home.pid(name);
  if (!isRunning(pid)) return false;
  process.kill(pid, 'SIGKILL');
  return true;
};

export const restartsSuite: OperationsSuite<'restarts'> = async (home, say, judge, { full }) => {
  const { everyMs, rounds } = full ? LONG : SHORT;
  const up = await home.evolve(['up'], { EVOLVE_NOOP_MS: String(EVALUATION_MS) });
  if (up.code !== 0) throw new Error(`${up.stdout}${up.stderr}`);
  const model = await startModel('--trivial', '--latency-ms', String(MODEL_MS));
  const client = new MongoClient(home.up().database.uri as string);
  const db = client.db('durable_evolve');
  const hosts = hostsOf(home);
  const must = async (...args: string[]): Promise<void> => {
    const { code, stdout, stderr } = await home.evolve(args);
    if (code !== 0) throw new Error(`evolve ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
  };
  const document = () =>
    db.collection<{ _id: string; committedStep: number; status: string }>('runs').findOne({ _id: RUN });
  const committed = async (): Promise<number> => (await document())?.committedStep ?? -1;

  try {
    const all = HOSTS.length + OF_STACK.length;
    await until('all workers', 240_000, async () => (await db.collection('hosts').countDocuments()) >= all);
    await must(
      ...['run', '--run', RUN, '--seed', '1', '--batch', String(BATCH), '--responses', String(RESPONSES)],
      // It is stopped, and does not end by itself.
      ...['--steps', '999999', '--base-url', model.url, '--model', 'offline-gp', '--set', 'model.nativeN=false'],
      ...['--set', 'evaluation.sandbox=noop', '--detach'],
    );
    await until('the first step', 240_000, async () => (await committed()) >= 1);
    const before = { step: await committed(), at: performance.now() };
    let kills = 0;
    for (let round = 0; round < rounds; round += 1) {
      await sleep(everyMs);
      for (let nth = 0; nth < KILLED_AT_ONCE; nth += 1) {
        // In turn, so that each is met at some moment of its work.
        const at = (round * KILLED_AT_ONCE + nth) % all;
        const killed = at < HOSTS.length ? hosts.kill(at) : killPart(home, OF_STACK[at - HOSTS.length]!);
        if (killed) kills += 1;
      }
    }
    const steps = (await committed()) - before.step;
    const seconds = (performance.now() - before.at) / 1000;
    await must('stop', RUN);
    await until('the run to stop', 240_000, async () => (await document())?.status === 'stopped');
    await must('rebuild', RUN);

    const last = await committed();
    const made = await db
      .collection<{ step: number; slot: number }>('programs')
      .find({ run: RUN, step: { $gte: 1 } }, { projection: { step: 1, slot: 1 } })
      .toArray();
    const distinct = new Set(made.filter(({ step }) => step <= last).map(({ step, slot }) => `${step}:${slot}`)).size;
    const figures = {
      kills,
      lost: last * BATCH * RESPONSES - distinct,
      duplicates: made.length - distinct,
    };
    say(
      `    ${kills} kills among ${all} workers in ${Math.round(seconds)} s, ${KILLED_AT_ONCE} every ${everyMs / 1000} s; ${((steps * BATCH * RESPONSES) / seconds).toFixed(1)} programs/s meanwhile, ${last} steps in all`,
    );
    for (const goal of [
      { what: 'programs lost', value: figures.lost, atMost: 0 },
      { what: 'programs there twice', value: figures.duplicates, atMost: 0 },
    ])
      say(`    ${goal.what}: ${goal.value}; ${judge(goal).text}`);
    return { restarts: figures };
  } finally {
    await hosts.close();
    await client.close();
    await model.stop();
  }
};
