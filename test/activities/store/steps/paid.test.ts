// A run has paid for every response once, whatever was rewound, replayed and asked for afresh in between.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storeOver } from '../../../../activities/store/open-store.ts';
import { epochAt, paidSoFar } from '../../../../activities/store/steps/paid.ts';
import { memoryCollections } from '../../../doubles/memory-store.ts';
import { commitOf, newRun, prompt, rollout, SLOTS, totals } from '../fixtures.ts';

type Action = { readonly kind: 'commit' | 'begin' | 'rewind' | 'resample'; readonly n: number };
const actions: fc.Arbitrary<readonly Action[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(
      'commit' as const,
      'commit' as const,
      'begin' as const,
      'rewind' as const,
      'resample' as const,
    ),
    n: fc.nat(6),
  }),
  { maxLength: 25 },
);

describe('what a run has paid for', () => {
  it('is every stored response of all steps that are not under way, once each', async () => {
    await fc.assert(
      fc.asyncProperty(actions, async (all) => {
        const collections = memoryCollections();
        const store = storeOver(collections);
        await store.createRun(newRun('r'));
        await store.commit(commitOf('r', 0, await store.openStep('r', 0, 'w0')));
        let owner = 'w0';
        const answer = async (step: number, answers: number): Promise<{ generation: number; epoch: number }> => {
          const generation = await store.openStep('r', step, owner);
          const epoch = await store.epochOf('r', step);
          await store.putPrompts([0, 1].map((group) => prompt('r', step, group, 'plateau', epoch)));
          await store.putRollouts(Array.from({ length: answers }, (_, slot) => rollout('r', step, slot, 'm', epoch)));
          return { generation, epoch };
        };
        for (const [index, { kind, n }] of all.entries()) {
          const { committedStep } = (await store.readRun('r'))!;
          const next = committedStep + 1;
          if (kind === 'begin') await answer(next, n % (SLOTS + 1));
          if (kind === 'resample') await store.resample('r', next + (n === 0 ? 2 : 0), `by ${index}`);
          if (kind === 'rewind' && committedStep > 0) {
            owner = `w${index + 1}`;
            await store.openStep('r', 1 + (n % committedStep), owner);
          }
          if (kind === 'commit') {
            const { generation, epoch } = await answer(next, SLOTS);
            await store.commit({ ...commitOf('r', next, generation, { epoch }), epoch, totals: totals(next) });
          }
          const run = (await store.readRun('r'))!;
          const stored = await collections.rollouts.find({ run: 'r' });
          const underWay = (one: { step: number; epoch: number }): boolean =>
            one.step === run.committedStep + 1 && one.epoch === epochAt(run.epochs, one.step);
          const settled = stored.filter((one) => !underWay(one)).length;
          // Of the step under way, that is counted which an earlier rewind set aside.
          const expected = settled + (run.setAside.find(underWay)?.programs ?? 0);
          expect(paidSoFar(run)).toEqual({ programs: expected, tokens: expected * 120, costUsd: 0 });
        }
      }),
      { numRuns: 120 },
    );
  });

  it('an epoch holds from its step on, whatever was asked for earlier', () => {
    const epochs = [
      { step: 5, epoch: 1, by: 'a' },
      { step: 3, epoch: 2, by: 'b' },
      { step: 7, epoch: 3, by: 'c' },
    ];
    expect([2, 3, 5, 6, 7, 8].map((step) => epochAt(epochs, step))).toEqual([0, 2, 2, 2, 3, 3]);
  });
});
