// What `evolve doctor <run>` says of reasons for the end of an answer that stand in no list.
import { expect, test } from 'vitest';
import { endingFindings } from '../../../client/doctor/ending-findings.ts';
import { grow, rollout } from '../../activities/store/fixtures.ts';
import { memoryStore } from '../../doubles/memory-store.ts';

test('reasons that nobody knows and settings that are not taken are counted, by model', async () => {
  const store = memoryStore();
  await grow(store, 'r', 1);
  const reasons = ['stop', 'a new one', 'a new one', null];
  await store.putRollouts(
    reasons.map((finishReason, slot) => ({
      ...{ ...rollout('r', 1, slot), finishReason },
      ...(slot < 3 ? { unsent: ['seed', 'top_p'] } : {}),
    })),
  );
  expect((await endingFindings(store, (await store.readRun('r'))!)).map(({ ok, detail }) => [ok, detail])).toEqual([
    [true, 'of 4 answers of step 1 3 of offline were asked without seed, top_p, which the endpoint does not take'],
    [
      true,
      'of 4 answers of step 1 2 of offline ended by "a new one", a reason that stands in no list: they count as whole',
    ],
  ]);
});
