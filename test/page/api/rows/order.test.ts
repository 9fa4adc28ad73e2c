// Laws of the table's order: nothing is lost or invented, equal rows keep their order, and what has no value comes last.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOfQuery, orderOf, type RowQuery, sorted } from '../../../../page/api/rows/order.ts';
import { FLAGS } from '../../../../page/api/rows/columns.ts';
import { rangeIn, rangeText, rowQueryOf, tableStateOf } from '../../../../page/api/rows/table.ts';

const ALL: RowQuery = {
  ...{ outcomes: null, models: null, island: null, step: null, score: null, flag: null, found: null },
  ...{ sort: 'id', descending: false, marked: null, marks: null, modelPlaces: null },
};

const number = fc.oneof(
  fc.double(),
  fc.constantFrom(0, -0, Number.NaN, Infinity, -Infinity, 5e-324, -1e308),
  fc.integer({ min: -3, max: 3 }),
);

describe('the sort', () => {
  it('is a stable permutation with NaN last, in both directions', () => {
    fc.assert(
      fc.property(fc.array(number, { maxLength: 200 }), fc.boolean(), (values, descending) => {
        const order = Uint32Array.from(values.keys(), (row) => row * 3);
        const got = [...sorted(order, Float64Array.from(values), descending)].map((row) => row / 3);
        const expected = [...values.keys()].sort((a, b) => {
          const [x, y] = [values[a]!, values[b]!];
          if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || a - b;
          return x === y ? a - b : (x < y ? -1 : 1) * (descending ? -1 : 1);
        });
        expect(got).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a table', () => {
  const rows = 8;
  const table = {
    rows,
    column: {
      step: Uint32Array.of(0, 1, 1, 2, 2, 3, 3, 4),
      outcome: Uint8Array.of(0, 0, 1, 0, 2, 0, 1, 0),
      score: Float64Array.of(1, 3, Number.NaN, 2, Number.NaN, 3, Number.NaN, 9),
      island: Uint16Array.of(0, 0, 1, 1, 0, 0, 1, 1),
      model: Uint8Array.of(0, 1, 0, 1, 0, 1, 0, 1),
      tokens: Uint32Array.of(5, 4, 3, 2, 1, 0, 9, 8),
      flags: Uint8Array.of(
        FLAGS.record,
        FLAGS.record | FLAGS.change,
        0,
        0,
        0,
        FLAGS.record | FLAGS.change,
        FLAGS.record,
        FLAGS.record,
      ),
    },
  };
  const order = (query: Partial<RowQuery>): number[] => [...orderOf(table, { ...ALL, ...query })];

  it('keeps the rows that fit', () => {
    expect(order({ outcomes: [1, 2] })).toEqual([2, 4, 6]);
    expect(order({ step: [2, 3], descending: true })).toEqual([6, 5, 4, 3]);
    expect(order({ step: [null, 1] })).toEqual([0, 1, 2]);
    // A row without a score is in no range of scores.
    expect(order({ score: [2, null] })).toEqual([1, 3, 5, 7]);
    expect(order({ island: 1, models: [1] })).toEqual([3, 7]);
    // Of the two of step 3 the last is one.
    expect(order({ flag: 'record' })).toEqual([0, 1, 6, 7]);
    expect(order({ sort: 'record', descending: true }).slice(0, 4)).toEqual([0, 1, 6, 7]);
    expect(order({ found: Uint32Array.of(1, 4, 99) })).toEqual([1, 4]);
    expect(order({ outcomes: [] })).toEqual([]);
  });

  it('sorts by any column', () => {
    expect(order({ sort: 'score', descending: true })).toEqual([7, 1, 5, 3, 0, 2, 4, 6]);
    expect(order({ sort: 'tokens' })).toEqual([5, 4, 3, 2, 1, 0, 7, 6]);
    expect(order({ sort: 'change', descending: true }).slice(0, 2)).toEqual([1, 5]);
    expect(order({ sort: 'model', modelPlaces: [1, 0] })).toEqual([1, 3, 5, 7, 0, 2, 4, 6]);
    expect(columnsOfQuery({ ...ALL, sort: 'tokens', flag: 'record', score: [1, 2] })).toEqual([
      'score',
      'flags',
      'step',
      'tokens',
    ]);
  });

  it('is what its address says', () => {
    const state = tableStateOf(
      new URLSearchParams(
        'outcome=timeout,valid&step=12..20&island=1&model=x&q=text&in=code,deltas&sort=score&order=desc',
      ),
    );
    expect(state).toEqual({
      ...{
        outcomes: ['timeout', 'valid'],
        models: ['x'],
        island: 1,
        step: [12, 20],
        score: null,
        flag: null,
        mark: null,
      },
      ...{ text: 'text', searched: ['code', 'deltas'], sort: 'score', descending: true, columns: null },
    });
    const named = {
      ...{ lineage: 'a', rows, total: rows, better: null, column: {} },
      names: { owners: ['demo'], outcomes: ['valid', 'invalid'], models: ['x'], features: [] },
    };
    const query = rowQueryOf(state, named, { found: null, descends: true });
    expect(query).toMatchObject({ outcomes: [0], models: [0], sort: 'score', descending: true });
    // A best score of a task that minimises is a low one.
    expect(rowQueryOf(tableStateOf(new URLSearchParams()), named, { found: null, descends: false }).descending).toBe(
      false,
    );
    // A name that the run does not have fits no row; it is not as if it were not there.
    expect(
      rowQueryOf(tableStateOf(new URLSearchParams('outcome=nonsense')), named, { found: null, descends: true })
        .outcomes,
    ).toEqual([]);
    expect(tableStateOf(new URLSearchParams('sort=__proto__&order=up&island=x&columns=id,nonsense'))).toMatchObject({
      sort: null,
      descending: false,
      island: null,
      columns: ['id'],
    });
  });

  it('writes ranges as it reads them', () => {
    for (const text of ['12', '12..20', '12..', '..20', '-1.5..2e-3'])
      expect(rangeText(rangeIn(text))).toBe(text.replace('2e-3', '0.002'));
    for (const text of [null, '', 'x', '1..2..3', '..', '0x10']) expect(rangeIn(text)).toBeNull();
  });
});
