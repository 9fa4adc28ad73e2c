// The order of the table of programs: a click on a heading, the place of a program.
import type { RowQuery, TableColumn } from '../../api/rows/order.ts';
import { firstOfStep, rowOf, type Rows } from '../../api/rows/rows.ts';
import { numberIn, ranks } from '../../api/rows/table.ts';

/** The rows of a query in its order. `of` is the table that they are rows of. */
export type Ordered = { readonly of: Rows; readonly query: RowQuery; readonly order: Uint32Array };

/** The query after a click on a heading: the other direction, or the most useful one where the table had another order. */
export const sortQuery = (
  { sort, descending }: Pick<RowQuery, 'sort' | 'descending'>,
  column: TableColumn,
  bestDescends: boolean,
): { readonly sort: string; readonly order: 'asc' | 'desc' } => {
  const first = ranks(column) ? bestDescends : column === 'record' || column === 'change';
  return { sort: column, order: (sort === column ? !descending : first) ? 'desc' : 'asc' };
};

/** The place of a program, or of the first one of a step, in the order that is shown; null for none. */
export const placeOf = (text: string, run: string, { of, order }: Ordered): number | null => {
  const step = numberIn(text);
  const row = step === null ? Math.max(rowOf(of, text), rowOf(of, `${run}:${text}`)) : firstOfStep(of, step);
  const last = step === null ? row : firstOfStep(of, step + 1) - 1;
  const place = order.findIndex((one) => one >= row && one <= last);
  return row < 0 || place < 0 ? null : place;
};
