// How much of its solo rate an interactive run keeps beside a sweep of sixteen runs that want more than there is, of
// requests to a model and of evaluations. Both only take their time, so that it is the sharing that is measured and not
// what the machine can compute.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { startModel, until } from '../../support/machine/home.ts';
import type { OperationsSuite } from '../operations.ts';

const MODEL_MS = 500;
const EVALUATION_MS = 500;
const EVALUATION_SLOTS = 8;
const REQUESTS = 16;
const RUNS = 16;
const BATCH = 4;
const RESPONSES = 4;
/** Steps before these begin a run and warm things up. */
const FIRST = 1;
const STEPS = 8;
const STEPS_FULL = 24;

export const fairnessSuite: OperationsSuite<'fairness'> = async (home, say, judge, { full }) => {
  const up = await home.evolve(['up'], {
    EVOLVE_NOOP_MS: String(EVALUATION_MS),
    EVOLVE_EVAL_CONCURRENCY: String(EVALUATION_SLOTS),
    EVOLVE_LLM_SLOTS: String(REQUESTS),
  });
  if (up.code !== 0) throw new Error(`${up.stdout}${up.stderr}`);
  const model = await startModel('--trivial', '--latency-ms', String(MODEL_MS));
  const client = new MongoClient(home.up().database.uri as string);
  const runs = client
    .db('durable_evolve')
    .collection<{ _id: string; committedStep: number; sweep?: string | null; status: string }>('runs');
  const last = FIRST + (full ? STEPS_FULL : STEPS);
  const must = async (...args: string[]): Promise<void> => {
    const { code, stdout, stderr } = await home.evolve(args);
    if (code !== 0) throw new Error(`evolve ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
  };
  const committed = async (run: string, step: number): Promise<number> => {
    await until(`step ${step} of ${run}`, 240_000, async () => {
      const found = await runs.findOne({ _id: run }, { projection: { committedStep: 1 } });
      return found !== null && found.committedStep >= step;
    });
    return performance.now();
  };
  /** Programs a second of a run that a person started, from the commit of its first step to that of its last. */
  const rate = async (run: string): Promise<number> => {
    await must(
      ...['run', '--run', run, '--seed', '1', '--batch', String(BATCH), '--responses', String(RESPONSES)],
      ...['--steps', String(last), '--base-url', model.url, '--model', 'offline-gp', '--set', 'model.nativeN=false'],
      ...['--set', 'evaluation.sandbox=noop', '--detach'],
    );
    const from = await committed(run, FIRST);
    const to = await committed(run, last);
    return ((last - FIRST) * BATCH * RESPONSES * 1000) / (to - from);
  };
  const sweepPrograms = async (): Promise<number> => {
    const found = await runs.find({ _id: /^crowd-/ }, { projection: { committedStep: 1 } }).toArray();
    return found.reduce((sum, { committedStep }) => sum + Math.max(0, committedStep) * BATCH * RESPONSES, 0);
  };

  try {
    const solo = await rate('solo');
    const file = join(home.dir, 'crowd.json');
    writeFileSync(
      file,
      JSON.stringify({
        name: 'crowd',
        maxParallel: RUNS,
        seeds: Array.from({ length: RUNS }, (_, seed) => seed + 1),
        base: {
          batch: BATCH,
          responses: RESPONSES,
          // It is not meant to end while it is measured against.
          limits: { steps: 1000 },
          model: { name: 'offline-gp', baseUrl: model.url, nativeN: false },
          evaluation: { sandbox: 'noop' },
        },
      }),
    );
    await must('sweep', file, '--detach');
    await until(
      'all runs of the sweep to work',
      240_000,
      async () => (await runs.countDocuments({ _id: /^crowd-/, committedStep: { $gte: 1 } })) >= RUNS,
    );
    const before = { at: performance.now(), programs: await sweepPrograms() };
    const beside = await rate('beside');
    const crowd = ((await sweepPrograms()) - before.programs) / ((performance.now() - before.at) / 1000);
    const share = Number((beside / solo).toFixed(3));
    say(
      `    programs/s of an interactive run: alone ${solo.toFixed(2)}, beside a sweep of ${RUNS} ${beside.toFixed(2)}; of the sweep meanwhile ${crowd.toFixed(2)}`,
    );
    say(
      `    share of its solo rate: ${share}; ${judge({ what: 'share of the solo rate', value: share, atLeast: 0.4 }).text}`,
    );
    return { fairness: { share } };
  } finally {
    await client.close();
    await model.stop();
  }
};
