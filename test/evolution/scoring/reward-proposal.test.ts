// Bounds of the shaped reward from the scores of a run (ThetaEvolve 4.4.3: alpha 1, a narrow interval from the scores
// seen).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proposeReward, reward } from '../../../evolution/scoring/reward.ts';

const rewardOf = (
  score: number,
  direction: 'maximise' | 'minimise',
  { lower, upper, alpha, k }: { lower: number; upper: number; alpha: number; k: number },
): number =>
  reward({
    outcome: 'valid',
    score,
    parentScore: null,
    direction,
    settings: { kind: 'shaped', lower, upper, alpha, k },
  });

describe('the proposal', () => {
  it('leaves the worse quarter below and a tenth of room beyond the best', () => {
    const scores = [0, 0, 1, 1.2, 1.4, 1.6, 1.8, 2];
    expect(proposeReward(scores, 'maximise')).toMatchObject({ lower: 1, upper: 2.1, alpha: 1, k: 3, scores: 8 });
    expect(
      proposeReward(
        scores.map((score) => -score),
        'minimise',
      ),
    ).toMatchObject({ lower: -2.1, upper: -1 });
    expect(proposeReward(scores, 'maximise')!.why).toContain('alpha 1');
  });
  it('is null without two different scores', () => {
    for (const scores of [[], [1], [2, 2, 2]]) expect(proposeReward(scores, 'maximise')).toBeNull();
  });
  it('where most are the best, begins at the next best', () => {
    expect(proposeReward([1, 2, 2, 2, 2, 2, 2, 2], 'maximise')).toMatchObject({ lower: 1, upper: 2.1 });
  });
  it('keeps the order of what lies in it: the best gets most; bounds are in order (law)', () => {
    const score = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(score, { minLength: 2, maxLength: 40 }),
        fc.constantFrom('maximise' as const, 'minimise' as const),
        (raw, direction) => {
          const scores = raw.map((value) => Number(value.toPrecision(6)));
          const proposal = proposeReward(scores, direction);
          if (proposal === null) {
            expect(new Set(scores).size).toBe(1);
            return;
          }
          expect(proposal.lower).toBeLessThan(proposal.upper);
          const best = direction === 'maximise' ? Math.max(...scores) : Math.min(...scores);
          expect(rewardOf(best, direction, proposal)).toBe(
            Math.max(...scores.map((one) => rewardOf(one, direction, proposal))),
          );
          expect(rewardOf(best, direction, proposal)).toBeGreaterThan(0.5 * proposal.k);
        },
      ),
      {
        numRuns: 3000,
        examples: [
          [[5e-324, 0], 'maximise'],
          [[0, 4.77411e-101], 'maximise'],
          [[1e6, 1e6 - 1e-9], 'minimise'],
          [[-1.7e300, 1.7e300], 'maximise'],
        ],
      },
    );
  });
});
