// Successive halving: where it compares, and who goes on.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rungs, survivors } from '../../../evolution/sweep/halving.ts';

describe('rungs', () => {
  it('grow by the factor, below what a run makes', () => {
    expect(rungs(32, 2, 256)).toEqual([32, 64, 128]);
    expect(rungs(32, 2, 257)).toEqual([32, 64, 128, 256]);
    expect(rungs(10, 3, 10)).toEqual([]);
  });
  it('are no more than it takes to leave one group, so that they end without a limit too', () => {
    expect(rungs(8, 2, null, 4)).toEqual([8, 16]);
    expect(rungs(8, 2, null, 5)).toEqual([8, 16, 32]);
    expect(rungs(8, 2, 1e6, 1)).toEqual([]);
  });
  it('law: ascending multiples below the limit; as many decisions leave exactly one group', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 2, max: 10 }),
        fc.option(fc.integer({ min: 1, max: 100_000 })),
        fc.integer({ min: 1, max: 1000 }),
        (first, factor, limit, groups) => {
          const at = rungs(first, factor, limit, groups);
          at.forEach((programs, index) => expect(programs).toBe(first * factor ** index));
          for (const programs of at) expect(programs).toBeLessThan(limit ?? Number.POSITIVE_INFINITY);
          if (limit === null) expect(at.reduce((left) => Math.ceil(left / factor), groups)).toBe(1);
        },
      ),
    );
  });
});

describe('survivors', () => {
  it('are the best part, in the direction of the task; ties go to the lower group, no score comes last', () => {
    const scores = [
      { group: 0, score: 1 },
      { group: 1, score: null },
      { group: 2, score: 3 },
      { group: 3, score: 1 },
      { group: 4, score: -2 },
    ];
    expect(survivors(scores, 2, 'maximise')).toEqual({
      ranking: [scores[2], scores[0], scores[3], scores[4], scores[1]],
      stopped: [1, 4],
    });
    expect(survivors(scores, 2, 'minimise').ranking.map(({ group }) => group)).toEqual([4, 0, 3, 2, 1]);
  });
  it('law: ceil(n / factor) go on, at least one; none that stops is better than one that goes on; order of input does not matter', () => {
    const arbitrary = fc.uniqueArray(
      fc.record({ group: fc.nat(100), score: fc.option(fc.integer({ min: -5, max: 5 })) }),
      { selector: ({ group }) => group, minLength: 1, maxLength: 30 },
    );
    fc.assert(
      fc.property(
        arbitrary,
        fc.integer({ min: 2, max: 5 }),
        fc.constantFrom('maximise' as const, 'minimise' as const),
        (scores, factor, direction) => {
          const { ranking, stopped } = survivors(scores, factor, direction);
          expect(ranking.map(({ group }) => group).sort()).toEqual(scores.map(({ group }) => group).sort());
          expect(scores.length - stopped.length).toBe(Math.max(1, Math.ceil(scores.length / factor)));
          const fit = (score: number | null): number =>
            score === null ? Number.NEGATIVE_INFINITY : direction === 'maximise' ? score : -score;
          const [on, out] = [
            ranking.filter(({ group }) => !stopped.includes(group)),
            ranking.filter(({ group }) => stopped.includes(group)),
          ];
          for (const a of on)
            for (const b of out)
              expect(fit(a.score) > fit(b.score) || (a.score === b.score && a.group < b.group)).toBe(true);
          expect(survivors(scores.toReversed(), factor, direction)).toEqual({ ranking, stopped });
        },
      ),
    );
  });
});
