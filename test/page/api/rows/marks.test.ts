// Marks of people as a column of the table: starred first, and filtered by star and label.
import { expect, test } from 'vitest';
import type { SetMark } from '../../../../evolution/steering/base/people.ts';
import { orderOf } from '../../../../page/api/rows/order.ts';
import { rowQueryOf, tableStateOf } from '../../../../page/api/rows/table.ts';
import { markChoices, markOfRow, withMarks } from '../../../../page/api/rows/marks.ts';
import { idOf } from '../../../../page/api/rows/rows.ts';
import { CELLS } from '../../../../page/view/table/cells.ts';
import { rowsOf } from '../../../support/page/rows-of.ts';

const own = rowsOf({
  ...{ step: [0, 1, 1, 2, 2], named: [0, 1, 1, 2, 2], slot: [0, 0, 1, 0, 1] },
  ...{ epoch: [0, 0, 0, 0, 0], owner: [0, 0, 0, 0, 0], score: [1, 2, 3, 4, 5] },
});
const mark = (star: boolean, label: string | null, note: string | null = null): SetMark => ({
  ...{ star, label, note, by: { name: 'mia', from: 'page' } },
  at: '2026-11-28T00:00:00.000Z',
});
const rows = withMarks(own, {
  [idOf(own, 1)]: mark(false, 'promising'),
  [idOf(own, 2)]: mark(true, null),
  [idOf(own, 4)]: mark(true, 'promising'),
  [idOf(own, 3)]: mark(false, null, 'look again'),
  'another:000001:0:000000': mark(true, 'not here'),
});
const found = (query: string): number[] => {
  const state = tableStateOf(new URLSearchParams(query));
  return [...orderOf(rows, rowQueryOf(state, rows, { found: null, descends: true }))];
};

test('a cell has the star and the label, and says where there is a note alone', () => {
  expect([0, 1, 2, 3, 4].map((row) => markOfRow(rows, row))).toEqual(['', 'promising', '★', 'note', '★ promising']);
  expect(CELLS.mark.text(rows, 4, 'demo')).toBe('★ promising');
  expect(CELLS.mark.text(own, 4, 'demo')).toBe('');
});

test('starred programs come first, and those without a mark last in both directions', () => {
  expect(found('sort=mark&order=asc')).toEqual([2, 4, 3, 1, 0]);
  expect(found('sort=mark&order=desc')).toEqual([1, 3, 4, 2, 0]);
});

test('the filter offers the marks that there are', () => {
  expect(markChoices(rows.names.marks!)).toEqual(['any', '★', '★ not here', '★ promising', 'note', 'promising']);
  expect(found('mark=any&sort=id')).toEqual([1, 2, 3, 4]);
  expect(found('mark=★&sort=id')).toEqual([2]);
  expect(found('mark=promising&sort=id')).toEqual([1]);
  expect(found('mark=nothing&sort=id')).toEqual([]);
});
