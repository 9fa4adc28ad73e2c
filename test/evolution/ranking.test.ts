// What ranks, and which of two scores is the better one.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  asFit,
  bestOf,
  commonScoring,
  gainOver,
  isBetter,
  rankedScore,
  rankingScore,
  reaches,
} from '../../evolution/scoring/ranking.ts';

describe('the score that ranks', () => {
  it('is the one that evaluation.scoring names; without a strict score the tolerant one', () => {
    expect(rankingScore({ score: 2.64, strictScore: 2.6 }, 'tolerant')).toBe(2.64);
    expect(rankingScore({ score: 2.64, strictScore: 2.6 }, 'strict')).toBe(2.6);
    expect(rankingScore({ score: 2.64, strictScore: null }, 'strict')).toBe(2.64);
    expect(rankingScore({ score: null, strictScore: null }, 'strict')).toBeNull();
  });

  it.each(['maximise', 'minimise'] as const)(
    'is read back from a stored program, where it is to be %sd',
    (direction) => {
      for (const scoring of ['strict', 'tolerant'] as const) {
        const scores = { score: 2.64, strictScore: 2.6 };
        const stored = { ...scores, fit: asFit(rankingScore(scores, scoring), direction) };
        expect(rankedScore(stored)).toBe(rankingScore(scores, scoring));
      }
      expect(rankedScore({ score: null, strictScore: null })).toBeNull();
      expect(rankedScore({ score: 2.64, strictScore: null, fit: 2.64 })).toBe(2.64);
    },
  );

  it('runs are compared by the one that ranks them all, else by the strict one', () => {
    expect(commonScoring(['tolerant', 'tolerant'])).toBe('tolerant');
    expect(commonScoring(['strict', 'tolerant'])).toBe('strict');
    expect(commonScoring([])).toBe('strict');
  });
});

describe('the better of two scores', () => {
  const numbers = fc.double({ noNaN: true, noDefaultInfinity: true });
  it('all words agree in either direction', () => {
    fc.assert(
      fc.property(fc.constantFrom('maximise', 'minimise'), numbers, numbers, (direction, a, b) => {
        const better = isBetter(direction, a, b);
        expect(asFit(a, direction) > asFit(b, direction)).toBe(better);
        expect(gainOver(direction, a, b) > 0).toBe(better);
        expect(reaches(direction, b, a)).toBe(!better);
        expect(asFit(asFit(a, direction), direction)).toBe(a);
      }),
    );
  });

  it('of the best the earliest is named; what has no score is not looked at', () => {
    const all = [
      { id: 'a', score: null },
      { id: 'b', score: 1 },
      { id: 'c', score: 3 },
      { id: 'd', score: 3 },
    ];
    expect(bestOf('maximise', all, ({ score }) => score)?.id).toBe('c');
    expect(bestOf('minimise', all, ({ score }) => score)?.id).toBe('b');
    expect(bestOf('minimise', all.slice(0, 1), ({ score }) => score)).toBeNull();
  });
});
