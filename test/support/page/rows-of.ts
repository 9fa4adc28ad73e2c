// Rows of a run as a page holds them, made of a few columns.
import type { Column } from '../../../page/api/rows/columns.ts';
import type { Rows } from '../../../page/api/rows/rows.ts';

export const rowsOf = (
  columns: { readonly [name: string]: readonly number[] },
  names: Partial<Rows['names']> = {},
): Rows => {
  const rows = Object.values(columns)[0]!.length;
  const column: { [name: string]: Column } = {};
  for (const [name, values] of Object.entries(columns))
    column[name] = name === 'score' || name === 'strictScore' ? Float64Array.from(values) : Int32Array.from(values);
  return {
    ...{ lineage: 'a', rows, total: rows, better: 'more', column },
    names: { owners: ['demo'], outcomes: ['valid', 'invalid'], models: ['', 'small'], features: [], ...names },
  };
};
