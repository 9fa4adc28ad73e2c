// Models chosen by what they gained and cost: AsymmetricUCB (ShinkaEvolve, arXiv 2509.19349).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BanditState,
  chancesOf,
  chooseModel,
  gainOf,
  type ModelResult,
  NO_RESULTS,
  valuesOf,
  withResult,
  withSubmission,
} from '../../../evolution/models/bandit.ts';
import { rng, type Rng } from '../../../evolution/rng.ts';

const result = (change: Partial<ModelResult> = {}): ModelResult => ({
  model: 'a',
  fit: 1,
  parentFit: 1,
  baseline: 0,
  costUsd: null,
  ...change,
});
const foldResults = (results: readonly ModelResult[]): BanditState =>
  results.reduce((state, one) => withResult(state, one), NO_RESULTS);

describe('a gain', () => {
  it('is e^r - 1 over the better of parent and baseline, 0 for anything that does not improve', () => {
    expect(gainOf({ fit: 3, parentFit: 1, baseline: 2 })).toBe(Math.expm1(1));
    expect(gainOf({ fit: 3, parentFit: 2.5, baseline: 2 })).toBe(Math.expm1(0.5));
    expect(gainOf({ fit: -3, parentFit: null, baseline: -4 })).toBe(Math.expm1(1));
    expect(gainOf({ fit: -3, parentFit: -5, baseline: null })).toBe(Math.expm1(2));
    for (const none of [
      { fit: 1, parentFit: 2, baseline: 0 },
      { fit: 1, parentFit: 1, baseline: 1 },
      { fit: null, parentFit: 1, baseline: 1 },
      { fit: 9, parentFit: null, baseline: null },
    ])
      expect(gainOf(none)).toBe(0);
    expect(Number.isFinite(gainOf({ fit: 1e9, parentFit: 0, baseline: 0 }))).toBe(true);
  });
});

describe('the state', () => {
  it('follows the formula: S and D of the chosen arm grow, all arms decay, M is the largest gain', () => {
    const g = Math.expm1(0.5);
    const s1 = (0.95 * g) / (1 + 0.05 * g);
    const first = withResult(NO_RESULTS, result({ fit: 1.5 }));
    expect(first.arms['a']).toEqual({ gains: s1, results: 0.95, submitted: 0, completed: 1, costUsd: 0, costed: 0 });
    expect(first.scale).toBe(Math.max(s1, s1 / 0.95));
    const second = withResult(first, result({ model: 'b', fit: null }));
    const s2 = (0.95 * s1) / (1 + 0.05 * s1);
    expect(second.arms['a']).toMatchObject({ gains: s2, results: 0.95 * 0.95 });
    expect(second.arms['b']).toMatchObject({ gains: 0, results: 0.95, completed: 1 });
    const m1 = s1 / 0.95;
    expect(second.scale).toBe(Math.max((0.95 * m1) / (1 + 0.05 * m1), s2 / (0.95 * 0.95)));
  });
  it('is a fold of the results in order, plain data, finite for any of them (law)', () => {
    const fit = fc.option(fc.double({ min: -1e9, max: 1e9, noNaN: true }));
    const any = fc.record({
      model: fc.constantFrom('a', 'b', '__proto__'),
      fit,
      parentFit: fit,
      baseline: fit,
      costUsd: fc.option(fc.double({ min: 0, max: 10, noNaN: true })),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 30 }), (results) => {
        const state = foldResults(results);
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
        expect(results.slice(10).reduce((now, one) => withResult(now, one), foldResults(results.slice(0, 10)))).toEqual(
          state,
        );
        for (const { gains, results: count } of Object.values(state.arms))
          expect(gains <= 19 + 1e-9 && count < 19 + 1e-9 && gains <= state.scale * count + 1e-9).toBe(true);
        const seen = Object.keys(state.arms);
        if (seen.length > 0) {
          expect(valuesOf(state, seen).every(Number.isFinite)).toBe(true);
          expect(chancesOf(state, seen).reduce((sum, chance) => sum + chance, 0)).toBeCloseTo(1, 12);
        }
      }),
    );
  });
  it('counts what is submitted before it is answered', () => {
    const state = withSubmission(withSubmission(NO_RESULTS, 'a'), 'a');
    expect(state.arms['a']).toMatchObject({ submitted: 2, completed: 0 });
    expect(withResult(state, result()).arms['a']).toMatchObject({ submitted: 2, completed: 1 });
  });
});

describe('the value of a model', () => {
  it('is (S/D)/M + c sqrt(2 ln max(t,2) / n), n the larger of submitted and completed', () => {
    let state = foldResults([result({ fit: 2 }), result({ model: 'b', fit: 1 })]);
    state = withSubmission(withSubmission(withSubmission(state, 'b'), 'b'), 'b');
    const { a, b } = state.arms;
    expect(valuesOf(state, ['a', 'b'])).toEqual([
      a!.gains / a!.results / state.scale + Math.sqrt((2 * Math.log(4)) / 1),
      b!.gains / b!.results / state.scale + Math.sqrt((2 * Math.log(4)) / 3),
    ]);
    expect(valuesOf(foldResults([result()]), ['a'])).toEqual([Math.sqrt(2 * Math.log(2))]);
  });
  it('is mixed with cheapness: median mean cost over the mean less its bonus, the largest 1', () => {
    const state = foldResults([
      result({ costUsd: 0.1 }),
      result({ costUsd: 0.3 }),
      result({ model: 'b', costUsd: 0.8 }),
    ]);
    const spread = 2 * Math.log(3);
    const denominator = [0.2 - 0.1 * 0.7 * Math.sqrt(spread / 2), 0.8 - 0.1 * 0.7 * Math.sqrt(spread / 1)];
    const bonus = [Math.sqrt(spread / 2), Math.sqrt(spread / 1)];
    const values = valuesOf(state, ['a', 'b']);
    expect(values[0]).toBeCloseTo(0.5 * bonus[0]! + 0.5 * 1, 12);
    expect(values[1]).toBeCloseTo(0.5 * bonus[1]! + 0.5 * (denominator[0]! / denominator[1]!), 12);
  });
  it('takes an unknown cost for the median, and costs nobody knows for nothing', () => {
    const state = foldResults([result({ costUsd: 0.1 }), result({ model: 'b', costUsd: 0.3 }), result({ model: 'c' })]);
    const bonus = Math.sqrt(2 * Math.log(3));
    const ratios = [0.2 / (0.1 - 0.02 * bonus), 0.2 / (0.3 - 0.02 * bonus), 1];
    expect(valuesOf(state, ['a', 'b', 'c'])).toEqual(
      ratios.map((ratio) => expect.closeTo(0.5 * bonus + (0.5 * ratio) / ratios[0]!, 12)),
    );
    const unknown = foldResults([result(), result({ model: 'b' })]);
    expect(valuesOf(unknown, ['a', 'b'])).toEqual([2, 2].map((times) => Math.sqrt(2 * Math.log(times))));
    const nothing = foldResults([result({ costUsd: 0 }), result({ model: 'b', costUsd: 0 })]);
    expect(new Set(valuesOf(nothing, ['a', 'b'])).size).toBe(1);
  });
});

describe('the choice', () => {
  it('goes to unseen models first, each as likely as the other', () => {
    expect(chancesOf(NO_RESULTS, ['a', 'b'])).toEqual([0.5, 0.5]);
    expect(chancesOf(foldResults([result({ fit: 9 })]), ['a', 'b', 'c'])).toEqual([0, 0.5, 0.5]);
    expect(chancesOf(withSubmission(NO_RESULTS, 'a'), ['a', 'b'])).toEqual([0, 1]);
    expect(chooseModel(NO_RESULTS, ['a'], rng(1))).toBe('a');
  });
  it('gives the winner(s) 1 - epsilon, the others epsilon', () => {
    const state = foldResults([result({ fit: 3 }), result({ model: 'b' }), result({ model: 'c' })]);
    expect(chancesOf(state, ['b', 'a', 'c'])).toEqual([0.1, 0.8, 0.1]);
    const even = foldResults([result({ model: 'a' }), result({ model: 'b' })]);
    expect(chancesOf(even, ['a', 'b'])).toEqual([0.5, 0.5]);
    expect(chancesOf(foldResults([result()]), ['a'])).toEqual([1]);
  });

  /** Shares of 400 calls; `play` gives what a call to a model came to. */
  const simulate = (
    models: readonly string[],
    play: (model: string, random: Rng) => Partial<ModelResult>,
  ): readonly number[] => {
    let state: BanditState = NO_RESULTS;
    const calls = Array.from({ length: 400 }, (_, call) => {
      const model = chooseModel(state, models, rng(7, 'choose', call));
      state = withResult(withSubmission(state, model), result({ model, ...play(model, rng(7, 'play', call)) }));
      return model;
    });
    return models.map((model) => calls.filter((other) => other === model).length / calls.length);
  };

  it('in a simulation prefers the model that improves more often', () => {
    const [weak, strong, broken] = simulate(['weak', 'strong', 'broken'], (model, random) => ({
      fit: model === 'broken' ? null : random.next() < (model === 'strong' ? 0.6 : 0.05) ? 1.2 : 0.9,
    }));
    expect(strong).toBeGreaterThan(0.5);
    expect(strong).toBeGreaterThan(1.5 * Math.max(weak!, broken!));
    expect(Math.min(weak!, broken!)).toBeGreaterThan(0.02);
  });
  it('in a simulation prefers the cheaper of two that gain the same', () => {
    const [dear, cheap] = simulate(['dear', 'cheap'], (model, random) => ({
      fit: random.next() < 0.3 ? 1.2 : 0.9,
      costUsd: (model === 'cheap' ? 0.01 : 0.1) * (0.8 + 0.4 * random.next()),
    }));
    expect(cheap).toBeGreaterThan(0.7);
    expect(dear).toBeGreaterThan(0.05);
  });
});
