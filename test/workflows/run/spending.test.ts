// How the run workflow reckons with its budget: what it has spent, what a response is likely to cost, what a step may
// spend.
import { describe, expect, it } from 'vitest';
import type { RunBrief } from '../../../activities/interface/run.ts';
import { expectedPerResponse, leftToMake, leftToSpend, spentBy } from '../../../workflows/run/spending.ts';

const NO_LIMITS = {
  steps: null,
  programs: null,
  tokens: null,
  costUsd: null,
  wallSeconds: null,
  targetScore: null,
  noImprovementPrograms: null,
  stagnantEpochs: null,
};
const brief = (more: Partial<RunBrief> = {}): RunBrief => ({
  run: 'r',
  task: 't',
  method: 'theta',
  direction: 'maximise',
  seed: 1,
  sweep: null,
  configVersion: 1,
  model: 'm',
  batch: 2,
  responses: 2,
  limits: { ...NO_LIMITS, steps: 10 },
  paid: { programs: 8, tokens: 800, costUsd: 0.4 },
  committedStep: 1,
  totals: { programs: 4, valid: 4, failures: {}, tokens: { in: 300, out: 100 }, costUsd: 0.2, sinceBest: 3 },
  best: null,
  createdAtMs: 1_000,
  pausedMs: 0,
  stream: false,
  ...more,
});

describe('spending', () => {
  it('holds tokens and cost against everything paid, programs against those that count', () => {
    expect(spentBy(brief(), 61_000)).toEqual({
      steps: 1,
      programs: 4,
      tokens: 800,
      costUsd: 0.4,
      wallSeconds: 60,
      sinceBest: 3,
      stagnantEpochs: 0,
      best: null,
    });
  });

  it('counts pauses on the clock only where the settings say so, or say nothing', () => {
    const limits = { ...NO_LIMITS, wallSeconds: 100 };
    const wall = (more: object): number =>
      spentBy(brief({ limits: { ...limits, ...more }, pausedMs: 20_000 }), 61_000).wallSeconds;
    expect([wall({ countPauses: false }), wall({ countPauses: true }), wall({})]).toEqual([40, 60, 60]);
  });

  it('the target is held against the score that ranks: strict where the run says so, tolerant in briefs of earlier versions', () => {
    const best = { program: 'p', score: 2.64, strictScore: 2.6, step: 1 };
    expect(spentBy(brief({ best }), 0).best).toBe(2.64);
    expect(spentBy(brief({ best, scoring: 'strict' }), 0).best).toBe(2.6);
    expect(spentBy(brief({ best: { ...best, strictScore: null }, scoring: 'strict' }), 0).best).toBe(2.64);
  });

  it('expects of one more response the mean of all that were paid; nothing while none was', () => {
    expect(expectedPerResponse(brief())).toEqual({ tokens: 100, costUsd: 0.05 });
    expect(expectedPerResponse(brief({ paid: { programs: 0, tokens: 0, costUsd: 0 } }))).toEqual({
      tokens: 0,
      costUsd: 0,
    });
  });

  it('a step may make what is left until the nearest of the limit on programs and the rung of a sweep', () => {
    expect(leftToMake(brief(), null)).toEqual({ steps: 9, programs: null });
    expect(leftToMake(brief(), { programs: 6 })).toEqual({ steps: 9, programs: 2 });
    expect(leftToMake(brief({ limits: { ...NO_LIMITS, programs: 5 } }), { programs: 6 })).toEqual({
      steps: null,
      programs: 1,
    });
  });

  it('a step may spend what is left, never less than nothing; without such limits there is no budget', () => {
    expect(leftToSpend(brief())).toBeNull();
    expect(leftToSpend(brief({ limits: { ...NO_LIMITS, tokens: 1_000 } }))).toEqual({
      tokens: 200,
      costUsd: null,
      perResponse: { tokens: 100, costUsd: 0.05 },
    });
    expect(leftToSpend(brief({ limits: { ...NO_LIMITS, tokens: 500, costUsd: 1 } }))).toMatchObject({
      tokens: 0,
      costUsd: 0.6,
    });
    expect(
      leftToSpend(brief({ limits: { ...NO_LIMITS, tokens: 500 }, paid: { programs: 0, tokens: 0, costUsd: 0 } })),
    ).toEqual({ tokens: 500, costUsd: null, perResponse: null });
  });
});
