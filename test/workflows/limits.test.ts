// The `extend` message: what is refused, with which words, and what a request makes of the limits.
import { describe, expect, it } from 'vitest';
import { evaluationBatching } from '../../workflows/batching.ts';
import { extendedLimits, validateExtend } from '../../workflows/limits.ts';

const LIMITS = { steps: 10, programs: null, tokens: null, costUsd: null, wallSeconds: null, targetScore: null };

describe('extend', () => {
  it.each([
    [{}, 'at least one of steps'],
    [{ stepz: 3 }, 'unknown key "stepz"'],
    [{ steps: 0 }, '"steps" expected a positive number, got 0'],
    [{ steps: '5' }, '"steps" expected a positive number, got "5"'],
    [{ steps: Number.NaN }, '"steps"'],
    [{ steps: 1, add: 'yes' }, '"add" expected true or false'],
    [null, 'expects one JSON object'],
  ])('%j is refused: %s', (request, words) => {
    expect(() => validateExtend(request as never)).toThrow(words);
  });

  it('takes a negative target: objectives may be negative', () => {
    expect(() => validateExtend({ targetScore: -1 })).not.toThrow();
  });

  it('sets limits, or adds to them', () => {
    expect(extendedLimits(LIMITS, { steps: 20 })).toEqual({ steps: 20 });
    expect(extendedLimits(LIMITS, { steps: 5, programs: 100, add: true })).toEqual({ steps: 15, programs: 100 });
  });
});

describe('evaluation batching', () => {
  it('sends quick programs many at a time, slow ones alone', () => {
    expect(evaluationBatching(5).size).toBe(16);
    expect(evaluationBatching(200).size).toBe(10);
    expect(evaluationBatching(60_000).size).toBe(1);
    expect(evaluationBatching(null).size).toBeGreaterThan(0);
  });
});
