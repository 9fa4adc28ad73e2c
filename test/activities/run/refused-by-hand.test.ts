// A run or a sweep that was started by hand ends with the words with which a command refuses it.
import { ApplicationFailure } from '@temporalio/activity';
import { describe, expect, it } from 'vitest';
import { createRunActivities } from '../../../activities/run/open-run.ts';
import { createOpenSweep } from '../../../activities/sweep/open-sweep.ts';
import { taskLoader } from '../../../activities/task/kept-task.ts';
import { usableTask } from '../../../activities/task/usable-task.ts';
import { DurableEvolve } from '../../../client/durable-evolve.ts';
import { resolveHome } from '../../../deploy/host/home.ts';
import { memoryStore } from '../../doubles/memory-store.ts';

const failureOf = async (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const workers = () => {
  const store = memoryStore();
  const deps = { store, loadTask: taskLoader(store), takeTask: usableTask };
  return { store, ...createRunActivities(deps), ...createOpenSweep(deps) };
};
/** The words of the library, on which the command line is written, for the same settings. */
const refusal = async (settings: object): Promise<string> => {
  const evolve = new DurableEvolve({ home: resolveHome({ EVOLVE_HOME: '/nowhere' }), env: {} });
  return ((await failureOf(evolve.start(settings))) as Error).message;
};

describe('a run that is started by hand', () => {
  it.each([
    ['an unknown task', { task: 'circle-packing-square-62' }],
    ['a folder that is not there', { task: '/nowhere/circles' }],
  ])('with %s ends', async (_, settings) => {
    const { openRun, store } = workers();
    const failure = await failureOf(openRun({ run: 'by-hand', owner: 'o', start: 'o', config: settings }));
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ type: 'ConfigError', nonRetryable: true });
    expect(await refusal(settings)).toContain((failure as Error).message);
    expect(await store.readRun('by-hand')).toBeNull();
  });

  it('with a task that was never kept ends', async () => {
    const { openRun } = workers();
    const taskSnapshot = 'a'.repeat(64);
    expect(
      await failureOf(openRun({ run: 'by-hand', owner: 'o', start: 'o', config: {}, taskSnapshot })),
    ).toMatchObject({
      type: 'ConfigError',
      nonRetryable: true,
      message: expect.stringContaining(taskSnapshot),
    });
  });
});

it('a sweep with an unknown task ends', async () => {
  const { openSweep } = workers();
  const spec = { name: 'by-hand', base: { task: 'nothing-of-the-sort', limits: { steps: 1 } }, seeds: [1] };
  expect(await failureOf(openSweep({ spec, startedAtMs: 0 }))).toMatchObject({
    type: 'ConfigError',
    nonRetryable: true,
    message: expect.stringContaining('there is no task "nothing-of-the-sort"'),
  });
});
