// How often an island explores (CodeEvolve 4.3, C.1; CodeEvolve 2, 10 and 11).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawOperator, nextRate, startExploration } from '../../../evolution/exploration/schedule.ts';
import type { ExplorationSchedule } from '../../../evolution/config/run-config.ts';
import { codeDefaults } from '../../../evolution/methods/code.ts';
import { rng } from '../../../evolution/rng.ts';

const settings = (change: Partial<ExplorationSchedule> = {}): ExplorationSchedule => ({
  ...codeDefaults.exploration,
  schedule: 'plateau',
  ...change,
});
/** Rates of epochs 0, 1, 2 ... */
const ratesOf = (of: ExplorationSchedule, improved: readonly boolean[]): readonly number[] => {
  let state = startExploration(of);
  return [state.rate, ...improved.map((is) => (state = nextRate(state, { improved: is, settings: of })).rate)];
};
const epochs = (count: number, improved = false): readonly boolean[] => Array.from({ length: count }, () => improved);

describe('the schedules', () => {
  it('CodeEvolve 10: plateau from 0.2: 95 stagnant epochs reach 0.5 (19 raises); 18 improving epochs then return to 0.2; never outside the bounds', () => {
    const rates = ratesOf(settings(), [...epochs(95), ...epochs(18, true)]);
    expect(rates[0]).toBe(0.2);
    expect(rates[94]).toBeLessThan(0.5);
    expect(rates[95]).toBe(0.5);
    expect(rates.slice(1, 96).filter((rate, index) => rate > rates[index]!)).toHaveLength(19);
    expect(rates[112]).toBeGreaterThan(0.2);
    expect(rates[113]).toBe(0.2);
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 200 }), (improved) => {
        expect(ratesOf(settings(), improved).every((rate) => rate >= 0.2 && rate <= 0.5)).toBe(true);
      }),
    );
  });
  it('plateau raises at the fifth epoch without a new best, and an improvement starts the count anew', () => {
    expect(ratesOf(settings({ start: 0.3 }), [...epochs(4), true, ...epochs(5)])).toEqual([
      0.3,
      0.3,
      0.3,
      0.3,
      0.3,
      0.3 * 0.95,
      ...epochs(4).map(() => 0.3 * 0.95),
      0.3 * 0.95 * 1.05,
    ]);
  });
  it('CodeEvolve 11: cosine gives max at e = 0 and e = L; exponential 0.8·0.95^e is clipped to 0.3 from e = 20', () => {
    const cosine = ratesOf(settings({ schedule: 'cosine', min: 0.1, max: 0.7, period: 8 }), epochs(17));
    expect([cosine[0], cosine[8], cosine[16]]).toEqual([0.7, 0.7, 0.7]);
    expect(cosine[4]).toBeCloseTo(0.4, 12);
    expect(cosine[7]).toBeCloseTo(0.1 + 0.3 * (1 + Math.cos((7 * Math.PI) / 8)), 12);
    const exponential = ratesOf(
      settings({ schedule: 'exponential', start: 0.8, factor: 0.95, min: 0.3, max: 1 }),
      epochs(40),
    );
    expect(exponential[19]).toBeCloseTo(0.8 * 0.95 ** 19, 12);
    expect(exponential[19]).toBeGreaterThan(0.3);
    expect(new Set(exponential.slice(20))).toEqual(new Set([0.3]));
  });
  it('constant stays, and only plateau looks at progress', () => {
    expect(new Set(ratesOf(settings({ schedule: 'constant', start: 0.05 }), [...epochs(9), true]))).toEqual(
      new Set([0.05]),
    );
    for (const kind of ['exponential', 'cosine'] as const)
      expect(ratesOf(settings({ schedule: kind }), epochs(9))).toEqual(
        ratesOf(settings({ schedule: kind }), epochs(9, true)),
      );
  });
  it('keep their state as plain data', () => {
    const state = startExploration(settings());
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  });
});

describe('the operator', () => {
  it('CodeEvolve 2: share of exploring epochs at fixed p = 0.2: within ±0.01 of 0.2 over 20,000 draws', () => {
    const drawn = Array.from({ length: 20_000 }, (_, epoch) => drawOperator(0.2, rng(42, 'operator', 0, epoch)));
    expect(Math.abs(drawn.filter((operator) => operator === 'explore').length / 20_000 - 0.2)).toBeLessThan(0.01);
  });
  it('never explores at 0, always at 1', () => {
    const all = (rate: number) =>
      new Set(Array.from({ length: 200 }, (_, epoch) => drawOperator(rate, rng(1, 'operator', epoch))));
    expect([all(0), all(1)]).toEqual([new Set(['exploit']), new Set(['explore'])]);
  });
});
