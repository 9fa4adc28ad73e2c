// The order of the table of programs: the columns that it needs, a click on a heading, the place of a program.
import type { ColumnSet } from '../../api/rows/columns.ts';
import type { RowQuery } from '../../api/rows/order.ts';
import { firstOfStep, rowOf, type Rows } from '../../api/rows/rows.ts';
import { needsFeatures, needsPaid, numberIn, sortOf, type TableColumn, type TableState } from '../../api/rows/table.ts';

/** The rows of a query in its order. `of` is the table that they are rows of. */
export type Ordered = { readonly of: Rows; readonly query: RowQuery; readonly order: Uint32Array };

export const setsFor = (state: TableState, columns: readonly TableColumn[]): readonly ColumnSet[] => [
  'base',
  ...(needsPaid(state, columns) ? ['paid' as const] : []),
  ...(needsFeatures(state, columns) ? ['features' as const] : []),
];

/** A column by which a set is recognised. */
const SIGN: { readonly [set in ColumnSet]: string } = { base: 'step', paid: 'cost', features: 'reward' };

export const hasSets = ({ column }: Rows, sets: readonly ColumnSet[]): boolean =>
  sets.every((set) => SIGN[set] in column);

/** The query after a click on a heading: the other direction, or the most useful one where the table had another order. */
export const sortQuery = (
  { sort, descending }: Pick<RowQuery, 'sort' | 'descending'>,
  column: TableColumn,
  bestDescends: boolean,
): { readonly sort: string; readonly order: 'asc' | 'desc' } => {
  const name = sortOf(column);
  const first = name === 'score' || name === 'strict' ? bestDescends : name === 'record' || name === 'change';
  return { sort: name === 'row' ? 'id' : name, order: (sort === name ? !descending : first) ? 'desc' : 'asc' };
};

/** The place of a program, or of the first one of a step, in the order that is shown; null for none. */
export const placeOf = (text: string, run: string, { of, order }: Ordered): number | null => {
  const step = numberIn(text);
  const row = step === null ? Math.max(rowOf(of, text), rowOf(of, `${run}:${text}`)) : firstOfStep(of, step);
  const last = step === null ? row : firstOfStep(of, step + 1) - 1;
  const place = order.findIndex((one) => one >= row && one <= last);
  return row < 0 || place < 0 ? null : place;
};
