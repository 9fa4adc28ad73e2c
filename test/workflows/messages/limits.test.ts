// What an `extend` message makes of the limits, and how many programs travel together.
import { describe, expect, it } from 'vitest';
import { evaluationBatching } from '../../../workflows/messages/step-input.ts';
import { absoluteLimits } from '../../../workflows/run/run-messages.ts';

const LIMITS = {
  steps: 10,
  programs: null,
  tokens: null,
  costUsd: 2.5,
  wallSeconds: null,
  targetScore: null,
  noImprovementPrograms: null,
  stagnantEpochs: null,
};

describe('extend', () => {
  it('sets limits, adds to them or removes them', () => {
    expect(absoluteLimits(LIMITS, { steps: 20 }, false)).toEqual({ steps: 20 });
    expect(absoluteLimits(LIMITS, { steps: 5, programs: 100, costUsd: 0.5 }, true)).toEqual({
      steps: 15,
      programs: 100,
      costUsd: 3,
    });
    expect(absoluteLimits(LIMITS, { steps: null, programs: 64 }, false)).toEqual({ steps: null, programs: 64 });
  });

  it('gives absolute numbers, so that storing them twice changes nothing', () => {
    const once = absoluteLimits(LIMITS, { steps: 5 }, true);
    expect(absoluteLimits({ ...LIMITS, ...once }, once, false)).toEqual(once);
  });
});

describe('evaluation batching', () => {
  it('sends quick programs many at a time, slow ones alone', () => {
    expect(evaluationBatching(5).size).toBe(32);
    expect(evaluationBatching(200).size).toBe(10);
    expect(evaluationBatching(60_000).size).toBe(1);
    expect(evaluationBatching(null).size).toBeGreaterThan(0);
  });
});
