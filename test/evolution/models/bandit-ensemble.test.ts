// Weighted ensembles (CodeEvolve 4.1).
import { describe, expect, it } from 'vitest';
import { ensembleFor, sharesOf } from '../../../evolution/models/ensemble.ts';

const FLASH = { name: 'FLASH', weight: 0.6 };
const PRO = { name: 'PRO', weight: 0.4 };

describe('weights', () => {
  it('that sum to 1 are the shares; others are normalised, and it is said', () => {
    expect(sharesOf([FLASH, PRO], 'models')).toEqual({
      kind: 'shares',
      shares: [expect.closeTo(0.6, 12), expect.closeTo(0.4, 12)],
      note: null,
    });
    expect(
      sharesOf(
        Array.from({ length: 10 }, (_, index) => ({ name: `m${index}`, weight: 0.1 })),
        'models',
      ),
    ).toMatchObject({ note: null });
    expect(
      sharesOf(
        [
          { name: 'a', weight: 1 },
          { name: 'b', weight: 2 },
          { name: 'c', weight: 0 },
        ],
        'ensembles.explore',
      ),
    ).toEqual({
      kind: 'shares',
      shares: [expect.closeTo(1 / 3, 12), expect.closeTo(2 / 3, 12), 0],
      note: 'ensembles.explore: the weights sum to 3, not 1; taken as a 33.33 %, b 66.67 %, c 0 %',
    });
    expect(
      sharesOf(
        [
          { name: 'a', weight: 1e308 },
          { name: 'b', weight: 1e308 },
        ],
        'models',
      ),
    ).toMatchObject({ shares: [0.5, 0.5] });
  });
  it('that are negative, not numbers, all 0, or none, are an error', () => {
    expect(sharesOf([FLASH, { name: 'x', weight: -0.1 }], 'models')).toEqual({
      kind: 'invalid',
      message: 'models: expected weights of at least 0, got -0.1 for x',
    });
    expect(sharesOf([{ name: 'x', weight: Number.NaN }], 'models')).toMatchObject({ kind: 'invalid' });
    expect(sharesOf([{ name: 'x', weight: 0 }], 'models')).toEqual({
      kind: 'invalid',
      message: 'models: expected a weight above 0, got 0 for x',
    });
    expect(sharesOf([], 'ensembles.meta')).toEqual({
      kind: 'invalid',
      message: 'ensembles.meta: expected at least one model, got none',
    });
  });
});

describe('roles', () => {
  it('one ensemble serves both operators if only one is given; the judge has its own or none', () => {
    expect(ensembleFor('explore', { exploit: [PRO] })).toEqual([PRO]);
    expect(ensembleFor('exploit', { explore: [FLASH] })).toEqual([FLASH]);
    expect(ensembleFor('meta', { exploit: [PRO], explore: [FLASH] })).toEqual([FLASH]);
    expect(ensembleFor('judge', { exploit: [PRO], explore: [FLASH] })).toBeNull();
    expect(ensembleFor('idea', { explore: [], exploit: [] })).toBeNull();
  });
});
