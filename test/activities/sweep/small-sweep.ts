// A sweep over the store in memory: three configurations, two seeds, four programs a step. For the tests of its
// activities.
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createOpenSweep, type OpenSweepDeps } from '../../../activities/sweep/open-sweep.ts';
import { createDecideRung } from '../../../activities/sweep/rungs.ts';
import { loadTask } from '../../../activities/task/load-task.ts';
import type { Json } from '../../../evolution/types.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { commitOf } from '../store/fixtures.ts';

export const PER_STEP = 4;
export const SPEC = {
  name: 'small',
  base: { batch: 2, responses: 2, limits: { steps: 4 } },
  grid: { 'selection.exploration': [0.1, 0.2, 0.3] },
  seeds: [1, 2],
  maxParallel: 3,
  stopWhen: { halving: { first: PER_STEP, factor: 2 } },
};

export const call = <T>(work: (input: never) => Promise<T>, input: unknown): Promise<T> =>
  new MockActivityEnvironment(undefined, { logger: new DefaultLogger('ERROR') }).run(
    work as (input: unknown) => Promise<T>,
    input,
  ) as Promise<T>;

/** `load`: another task than that of the files. `take`: tasks are kept with the runs. */
export const smallSweep = (
  load: OpenSweepDeps['loadTask'] = (id) => loadTask(id),
  store = memoryStore(),
  takeTask?: OpenSweepDeps['takeTask'],
) => {
  const { openSweep } = createOpenSweep({ store, loadTask: load, ...(takeTask && { takeTask }) });
  const { decideRung } = createDecideRung({ store, loadTask: load });
  /** Commits the run's next step with this as its best score so far. */
  const commit = async (run: string, step: number, score: number, strictScore: number | null = null): Promise<void> => {
    const commit = commitOf(run, step, await store.openStep(run, step, 'w'));
    await store.commit({ ...commit, best: { ...commit.best!, score, strictScore } });
  };
  return {
    store,
    commit,
    open: (spec: object = SPEC) => call(openSweep, { spec: spec as Json, startedAtMs: Date.UTC(2026, 10, 21) }),
    decide: (programs: number) => call(decideRung, { sweep: 'small', programs }),
  };
};
