// When a run ends, and what its tokens cost.
import { describe, expect, it } from 'vitest';
import { firstReached, type Next, type Spent } from '../../../evolution/budget/limits.ts';
import { costUsd } from '../../../evolution/budget/money.ts';
import type { Limits } from '../../../evolution/config/run-config.ts';

const none: Limits = {
  steps: null,
  programs: null,
  tokens: null,
  costUsd: null,
  wallSeconds: null,
  targetScore: null,
  noImprovementPrograms: null,
  stagnantEpochs: null,
};
const nothing: Spent = {
  steps: 0,
  programs: 0,
  tokens: 0,
  costUsd: 0,
  wallSeconds: 0,
  sinceBest: 0,
  stagnantEpochs: 0,
  best: null,
};
const reached = (
  limits: Partial<Limits>,
  spent: Partial<Spent>,
  direction: 'maximise' | 'minimise' = 'maximise',
  next: Partial<Next> = {},
) =>
  firstReached(
    { ...none, ...limits },
    { ...nothing, ...spent },
    { programs: 64, tokens: 0, costUsd: 0, ...next },
    direction,
  );

describe('budget', () => {
  it('without limits a run never ends', () => {
    expect(
      reached(
        {},
        {
          steps: 1e9,
          programs: 1e9,
          tokens: 1e12,
          costUsd: 1e9,
          wallSeconds: 1e9,
          sinceBest: 1e9,
          stagnantEpochs: 1e9,
          best: 1e9,
        },
      ),
    ).toBeNull();
  });

  it('each limit ends the run when it is reached, and is named', () => {
    for (const key of ['steps', 'tokens', 'costUsd', 'wallSeconds', 'stagnantEpochs'] as const) {
      expect(reached({ [key]: 10 }, { [key]: 9.99 })).toBeNull();
      expect(reached({ [key]: 10 }, { [key]: 10 })).toBe(key);
    }
  });

  it('a step whose fewest programs would exceed the limit on them is not started; one that just meets it is', () => {
    expect(reached({ programs: 128 }, { programs: 64 })).toBeNull();
    expect(reached({ programs: 127 }, { programs: 64 })).toBe('programs');
    expect(reached({ programs: 63 }, {})).toBe('programs');
    expect(reached({ programs: 60 }, { programs: 59 }, 'maximise', { programs: 1 })).toBeNull();
    expect(reached({ programs: 60 }, { programs: 60 }, 'maximise', { programs: 1 })).toBe('programs');
  });

  it('a step does not start where not even one more response fits', () => {
    expect(reached({ tokens: 100 }, { tokens: 90 }, 'maximise', { tokens: 10 })).toBeNull();
    expect(reached({ tokens: 100 }, { tokens: 90 }, 'maximise', { tokens: 11 })).toBe('tokens');
    expect(reached({ costUsd: 1 }, { costUsd: 0.9 }, 'maximise', { costUsd: 0.2 })).toBe('costUsd');
    expect(reached({ costUsd: 1 }, { costUsd: 0.9 }, 'maximise', { tokens: 1e9 })).toBeNull();
  });

  it('a run that no longer improves ends; a better program begins the count anew', () => {
    expect(reached({ noImprovementPrograms: 128 }, { programs: 1000, sinceBest: 127 })).toBeNull();
    expect(reached({ noImprovementPrograms: 128 }, { programs: 1000, sinceBest: 128 })).toBe('noImprovementPrograms');
  });

  it('of several limits the first in order is named', () => {
    expect(reached({ steps: 3, tokens: 10, noImprovementPrograms: 1 }, { steps: 3, tokens: 10, sinceBest: 1 })).toBe(
      'steps',
    );
    expect(reached({ targetScore: 1, steps: 3 }, { steps: 3, best: 1 })).toBe('targetScore');
  });

  it("the target counts in the task's direction", () => {
    expect(reached({ targetScore: 2.6 }, { best: 2.59 })).toBeNull();
    expect(reached({ targetScore: 2.6 }, { best: 2.6 })).toBe('targetScore');
    expect(reached({ targetScore: 1.5 }, { best: 1.6 }, 'minimise')).toBeNull();
    expect(reached({ targetScore: 1.5 }, { best: 1.4 }, 'minimise')).toBe('targetScore');
    expect(reached({ targetScore: 0 }, { best: null })).toBeNull();
  });

  it('costs follow the prices per million tokens; an unknown price costs nothing', () => {
    expect(costUsd({ in: 2_000_000, out: 500_000 }, { in: 0.25, out: 2 })).toBe(1.5);
    expect(costUsd({ in: 5, out: 5 }, null)).toBe(0);
  });
});
