// The table of programs: the rows that are drawn, keys, clicks on headings, and the way to a program.
import { describe, expect, test } from 'vitest';
import type { RowQuery } from '../../../page/api/rows/order.ts';
import { numberNames } from '../../../evolution/reports/program-numbers.ts';
import { TABLE_COLUMNS } from '../../../page/api/rows/order.ts';
import { hasSets, setsFor, tableStateOf } from '../../../page/api/rows/table.ts';
import { CELLS, columnsFor } from '../../../page/view/table/cells.ts';
import { placeOf, sortQuery } from '../../../page/view/table/order.ts';
import { drawnRows, rowAfter } from '../../../page/view/table/window.ts';
import { rowsOf } from '../../support/page/rows-of.ts';

describe('the rows that are drawn', () => {
  test.each([
    ['the first ones', { first: 0, seen: 20 }, 1_000, { first: 0, end: 28 }],
    ['those around the ones that are seen', { first: 100, seen: 20 }, 1_000, { first: 92, end: 128 }],
    ['the last ones', { first: 990, seen: 20 }, 1_000, { first: 980, end: 1_000 }],
    ['all of a short list, wherever it was scrolled to', { first: 100, seen: 20 }, 5, { first: 0, end: 5 }],
  ])('are %s', (_, place, count, drawn) => {
    expect(drawnRows(place, count)).toEqual(drawn);
  });

  test.each([
    ['ArrowDown', 6],
    ['ArrowUp', 4],
    ['PageDown', 15],
    ['PageUp', -5],
    ['Home', 0],
    ['End', 99],
    ['a', null],
  ])('the key %s goes from row 5 to row %s', (key, row) => {
    expect(rowAfter(key, 5, { page: 10, last: 99 })).toBe(row);
  });
});

describe('a click on a heading', () => {
  const BY_ID = { sort: 'id', descending: false } as const;
  test.each([
    ['the best scores first', 'score', BY_ID, true, { sort: 'score', order: 'desc' }],
    ['low scores first where less is better', 'score', BY_ID, false, { sort: 'score', order: 'asc' }],
    ['the other direction', 'score', { sort: 'score', descending: true }, true, { sort: 'score', order: 'asc' }],
    ['new bests first', 'record', { sort: 'score', descending: true }, true, { sort: 'record', order: 'desc' }],
    ['programs as they came', 'id', { sort: 'score', descending: true }, true, { sort: 'id', order: 'asc' }],
  ] as const)('brings %s', (_, column, before, bestDescends, query) => {
    expect(sortQuery(before, column, bestDescends)).toEqual(query);
  });
});

test('a table asks for the columns that it shows or sorts by, and for no others', () => {
  const state = tableStateOf(new URLSearchParams());
  expect(setsFor(state, ['id', 'score'])).toEqual(['base']);
  expect(setsFor(state, ['id', 'costUsd'])).toEqual(['base', 'paid']);
  expect(setsFor(tableStateOf(new URLSearchParams('sort=reward')), ['id'])).toEqual(['base', 'features']);
  const rows = rowsOf({ step: [0], costUsd: [1] });
  expect(hasSets(rows, ['base', 'paid'])).toBe(true);
  expect(hasSets(rows, ['base', 'features'])).toBe(false);
});

test('every number of a program is a column, which says where there is none', () => {
  expect(TABLE_COLUMNS.filter((name) => !(name in CELLS))).toEqual([]);
  for (const name of numberNames) {
    const { title, width, text, value } = CELLS[name];
    const rows = { ...rowsOf({ step: [0, 1] }), column: { [name]: Float64Array.of(1, Number.NaN) } };
    expect([title === '', width > 60]).toEqual([false, true]);
    expect([text(rows, 0, 'demo') === '–', text(rows, 1, 'demo')]).toEqual([false, '–']);
    expect([value!(rows, 0), value!(rows, 1)]).toEqual([1, null]);
  }
});

test('a narrow window has fewer columns, and a search leaves room for what it found', () => {
  expect(columnsFor(400, false).length).toBeLessThan(columnsFor(900, false).length);
  expect(columnsFor(900, false).length).toBeLessThan(columnsFor(1_400, false).length);
  for (const width of [400, 900, 1_400])
    expect(columnsFor(width, true).length).toBeLessThan(columnsFor(width, false).length);
});

describe('the way to a program', () => {
  const of = rowsOf({
    ...{ owner: [0, 0, 0, 0], step: [0, 1, 1, 2], named: [0, 1, 1, 2] },
    ...{ epoch: [0, 0, 0, 0], slot: [0, 0, 1, 0], score: [1, 2, 3, 4] },
  });
  const ordered = { of, query: {} as RowQuery, order: Uint32Array.of(3, 2, 0) };

  test.each([
    ['a step', '2', 0],
    ['a step of which the first program is filtered out', '1', 1],
    ['a step that the run does not have', '9', null],
    ['a program', 'demo:000002:0:000000', 0],
    ['a program without the name of its run', '000002:0:000000', 0],
    ['a program that is filtered out', 'demo:000001:0:000000', null],
    ['nonsense', 'nonsense', null],
  ])('by %s', (_, text, place) => {
    expect(placeOf(text, 'demo', ordered)).toBe(place);
  });
});
