// What settings are worth: the levels of a setting, and the share of the variance that they explain.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectsOf, levelsOf, shareOf } from '../../../evolution/sweep/effects.ts';

const samples = fc.array(fc.array(fc.integer({ min: -1000, max: 1000 }), { maxLength: 5 }), { maxLength: 5 });

describe('the share of the variance', () => {
  it('is from 0 to 1, and does not depend on the unit or the zero of the score', () => {
    fc.assert(
      fc.property(samples, fc.constantFrom(-3, 0.5, 10), fc.integer({ min: -50, max: 50 }), (all, by, more) => {
        const share = shareOf(all);
        const changed = shareOf(all.map((values) => values.map((value) => value * by + more)));
        if (share === null) expect(changed).toBeNull();
        else {
          expect(share).toBeGreaterThanOrEqual(0);
          expect(share).toBeLessThanOrEqual(1);
          expect(changed).toBeCloseTo(share, 6);
        }
      }),
    );
  });
  it.each([
    ['all of it, where runs of one value are alike', '1 1, 2 2', 1],
    ['nothing, where the means are alike', '1 3, 3 1', 0],
    ['not known with a run for each value', '1, 2, 3', null],
    ['not known with one value', '1 2 3', null],
    ['not known where all scores are alike', '0.1 0.1, 0.1', null],
    // Total 10, between 9, within 1; one degree of freedom between, two within.
    ['less than eta squared by what chance makes of as many values', '-2 -1, 1 2', (9 - 0.5) / 10],
  ])('is %s', (_, all, share) => {
    expect(shareOf(all.split(', ').map((values) => values.split(' ').map(Number)))).toBe(share);
  });
});

describe('levels', () => {
  const group = (number: number, params: object) => ({
    group: number,
    params: params as { readonly [key: string]: number },
  });
  it('are the values, numbers ascending, with their configurations', () => {
    const groups = [group(0, { batch: 16 }), group(1, { batch: 4 }), group(2, { batch: 16 }), group(3, {})];
    expect(levelsOf(groups, 'batch').map(({ text, groups: own }) => [text, own])).toEqual([
      ['4', [1]],
      ['16', [0, 2]],
      ['as in the base', [3]],
    ]);
  });
  it('of a random search are quarters', () => {
    const groups = Array.from({ length: 12 }, (_, at) => group(at, { rate: (at * 7) % 12 }));
    const runs = groups.map(({ group: own, params }) => ({ group: own, best: params['rate']! > 5 ? 2 : 1 }));
    const [effect] = effectsOf(groups, runs);
    expect(effect).toMatchObject({ key: 'rate', share: 1 });
    expect(effect!.levels.map(({ text, runs: n, mean }) => [text, n, mean])).toEqual([
      ['0 to 2', 3, 1],
      ['3 to 5', 3, 1],
      ['6 to 8', 3, 2],
      ['9 to 11', 3, 2],
    ]);
  });
  it('put the setting first that explains most', () => {
    const groups = [0, 1, 2, 3].map((at) => group(at, { a: at % 2, b: at >> 1 }));
    const runs = [0, 1, 2, 3].flatMap((at) => [0, 0.1].map((noise) => ({ group: at, best: (at >> 1) * 5 + noise })));
    expect(effectsOf(groups, runs).map(({ key }) => key)).toEqual(['b', 'a']);
    expect(effectsOf(groups, [{ group: 0, best: null }]).map(({ share }) => share)).toEqual([null, null]);
  });
});
