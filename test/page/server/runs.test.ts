// The list of runs as the page's server answers it: the lines of the bests cost few reads, whatever the length of a run.
import { expect, test } from 'vitest';
import type { Store } from '../../../activities/store/store.ts';
import type { Overview } from '../../../page/api/run/runs.ts';
import { runAnswers } from '../../../page/server/routes/runs.ts';
import { spreadSteps } from '../../../page/server/site/trends.ts';
import { commitOf, grow } from '../../activities/store/fixtures.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { answersOver } from '../../support/page/in-tests.ts';

const overRuns = (store: Store) => {
  const read: number[] = [];
  const watched: Store = {
    ...store,
    stepsAt: (run, steps) => {
      read.push(...steps);
      return store.stepsAt(run, steps);
    },
  };
  const { json } = answersOver(watched, [runAnswers], '/');
  const first = async () => (await json<Overview>('overview')).runs[0]!;
  return { read, first };
};

test('steps of a trend are few, evenly spread, and mostly known as a run grows', () => {
  for (const last of [0, 1, 23, 24, 1_000, 100_000]) {
    const steps = spreadSteps(last);
    expect(steps[0]).toBe(0);
    expect(steps.length).toBeLessThanOrEqual(24);
    expect(steps.length).toBeGreaterThanOrEqual(Math.min(last + 1, 12));
    expect(spreadSteps(last).filter((step) => spreadSteps(Math.ceil(last / 2)).includes(step))).not.toEqual([]);
  }
});

test('a run has the line of its best and its last improvement, and each marker is read once', async () => {
  const store = memoryStore();
  const { read, first } = overRuns(store);
  await grow(store, 'demo', 3);
  const run = await first();
  expect(run.trend).toEqual([
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 4],
  ]);
  expect(run.improved).toMatchObject({ step: 3 });
  expect(run.limits).toContainEqual({ limit: 'steps', of: 10, spent: 3 });
  expect(read).toEqual([0, 1, 2, 3]);
  await first();
  expect(read).toHaveLength(4);
  await store.commit(commitOf('demo', 4, await store.openStep('demo', 4, 'w')));
  expect((await first()).trend.at(-1)).toEqual([4, 5]);
  expect(read).toEqual([0, 1, 2, 3, 4]);
});

test('a rewind takes its bests out of the line', async () => {
  const store = memoryStore();
  const { first } = overRuns(store);
  await grow(store, 'demo', 4);
  await first();
  await store.openStep('demo', 2, 'rewind');
  const run = await first();
  expect(run.trend.at(-1)).toEqual([1, 2]);
  expect(run.improved).toMatchObject({ step: 1 });
});
