// Rewards, exactly as ThetaEvolve Eq. 2 to 4 state them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RewardSettings } from '../../../evolution/config/run-config.ts';
import { FAILURE_CODE } from '../../../evolution/scoring/failures.ts';
import { reward, type Rewarded } from '../../../evolution/scoring/reward.ts';

const settings = (change: Partial<RewardSettings> = {}): RewardSettings => ({
  kind: 'objective',
  lower: null,
  upper: null,
  alpha: 1,
  k: 3,
  ...change,
});
const of = (change: Partial<Rewarded>) =>
  reward({ outcome: 'valid', score: 1, parentScore: null, direction: 'maximise', settings: settings(), ...change });
const third8B = settings({ kind: 'shaped', lower: 1.4557, upper: 3.2, alpha: 3 });
const second8B = settings({ kind: 'shaped', lower: 0.91, upper: 0.96 });
const failures = Object.entries(FAILURE_CODE) as [keyof typeof FAILURE_CODE, number][];

describe('reward', () => {
  it('failures keep their codes under every rule but format', () => {
    expect(FAILURE_CODE).toEqual({
      rejected: -0.4,
      unparsed: -0.4,
      idea_failed: -0.4,
      rm_failed: -0.4,
      no_diff: -0.4,
      no_change: -0.3,
      duplicate: -0.3,
      no_solution: -0.2,
      invalid: -0.1,
    });
    for (const rule of [settings(), third8B, settings({ kind: 'valid' }), settings({ kind: 'improve' })]) {
      for (const [outcome, code] of failures) expect(of({ outcome, score: null, settings: rule })).toBe(code);
    }
  });

  it('codes are those that the docs of the method say', () => {
    const table = readFileSync(join(import.meta.dirname, '../../../docs/methods/thetaevolve.md'), 'utf8');
    const told = [...table.matchAll(/^\| `(\w+)` \| (-[\d.]+) \|/gm)].map(([, outcome, code]) => [
      outcome,
      Number(code),
    ]);
    const { no_diff, no_change, duplicate, no_solution, invalid } = FAILURE_CODE;
    expect(Object.fromEntries(told)).toEqual({ no_diff, no_change, duplicate, no_solution, invalid });
  });

  it('ThetaEvolve 16: a valid objective of -0.3 is rewarded by the chosen rule, as no failure', () => {
    expect(of({ score: -0.3 })).toBe(-0.3);
    expect(of({ score: -0.3, settings: settings({ kind: 'valid' }) })).toBe(1);
    expect(of({ score: -0.3, settings: settings({ kind: 'shaped', lower: -1, upper: 0 }) })).toBeCloseTo(2.1, 12);
  });

  it('ThetaEvolve 17: shaped, Third 8B', () => {
    const third = (score: number) => of({ score, direction: 'minimise', settings: third8B });
    expect(Math.abs(third(1.493) - 2.8116)).toBeLessThan(1e-4);
    expect([third(1.4557), third(1.2), third(3.2), third(7)]).toEqual([3, 3, 0, 0]);
  });

  it('ThetaEvolve 17: shaped, Second 8B', () => {
    const second = (score: number) => of({ score, settings: second8B });
    expect(second(0.9055)).toBe(0);
    expect(second(0.9469)).toBeCloseTo(2.214, 10);
    expect(second(2)).toBe(3);
  });

  it('ThetaEvolve 18: format', () => {
    const format = (outcome: Rewarded['outcome']) =>
      of({ outcome, score: outcome === 'valid' ? -7 : null, settings: settings({ kind: 'format' }) });
    expect((['valid', 'invalid', 'no_solution', 'duplicate', 'no_change', 'no_diff'] as const).map(format)).toEqual([
      1,
      1,
      1,
      FAILURE_CODE.duplicate,
      FAILURE_CODE.no_change,
      FAILURE_CODE.no_diff,
    ]);
  });

  it('objective: the objective itself, its inverse when minimising', () => {
    expect(of({ score: 2.5 })).toBe(2.5);
    expect(of({ score: 1.5, direction: 'minimise' })).toBe(1 / (1.5 + 1e-8));
  });

  it("improve: better than the parent by more than 1e-6, in the task's direction", () => {
    const improve = (score: number, parentScore: number | null, direction: Rewarded['direction']) =>
      of({ score, parentScore, direction, settings: settings({ kind: 'improve' }) });
    expect([
      improve(2.1, 2, 'maximise'),
      improve(2, 2, 'maximise'),
      improve(2 + 5e-7, 2, 'maximise'),
      improve(1.9, 2, 'maximise'),
    ]).toEqual([1, 0, 0, 0]);
    expect([improve(1.9, 2, 'minimise'), improve(2.1, 2, 'minimise'), improve(1, null, 'minimise')]).toEqual([1, 0, 1]);
  });

  it('shaped without its bounds, and a valid program without a score, are errors', () => {
    expect(() => of({ settings: settings({ kind: 'shaped' }) })).toThrow(/reward\.lower/);
    expect(() => of({ score: Number.NaN })).toThrow(/finite score/);
  });
});
