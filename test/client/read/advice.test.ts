// The facts behind the advice on a run, read from its stored steps.
import { expect, test } from 'vitest';
import { storeOver } from '../../../activities/store/open-store.ts';
import { adviceFor, limitsOf } from '../../../client/read/advice.ts';
import { commitOf, grow, newRun } from '../../activities/store/fixtures.ts';
import { memoryCollections } from '../../doubles/memory-store.ts';

test('the last steps are read: what is spent, the time since the best, and the commonest failure with its reason', async () => {
  const store = storeOver(memoryCollections());
  await grow(store, 'demo', 1);
  const step = 2;
  const commit = commitOf('demo', step, await store.openStep('demo', step, 'w'), {
    ...{ outcome: 'invalid', reasons: ['circles 1 and 2 overlap by 0.25'] },
  });
  const totals = { ...commit.totals, programs: 60, failures: { invalid: 30 }, costUsd: 0.9, sinceBest: 50 };
  await store.commit({ ...commit, totals });
  const stored = (await store.readRun('demo'))!;
  const run = { ...stored, config: { ...stored.config, limits: { ...newRun('demo').config.limits, costUsd: 1 } } };
  const now = new Date((run.best === null ? 0 : Date.now()) + 8_000_000);
  const advice = await adviceFor(store, run, now);
  expect(limitsOf(run, now)).toContainEqual({ limit: 'costUsd', of: 1, spent: 0.9 });
  expect(advice.map(({ what }) => what)).toEqual([
    expect.stringMatching(/^90 % of its limit on cost is spent, \$0\.90 of \$1\.00/),
    expect.stringMatching(/^No new best since step \d: 50 programs, /),
    expect.stringMatching(/^50 % of the last 60 programs are invalid, mostly “circles … and … overlap by …”$/),
  ]);
  expect(await adviceFor(store, { ...run, status: 'needs attention' }, now)).toEqual([]);
});
