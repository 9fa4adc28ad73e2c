// The rows of a table as a file that spreadsheets read.
import type { Rows } from '../../api/rows/rows.ts';
import type { TableColumn } from '../../api/rows/order.ts';
import { csvOf, save } from '../base/save.ts';
import { CELLS } from './cells.ts';

export const download = (run: string, rows: Rows, order: Uint32Array, columns: readonly TableColumn[]): void => {
  const cell = (name: TableColumn, row: number): string | number | null => {
    const { value, text } = CELLS[name];
    return value === undefined ? text(rows, row, run) : value(rows, row);
  };
  const csv = csvOf([
    columns.map((name) => CELLS[name].title),
    ...Array.from(order, (row) => columns.map((name) => cell(name, row))),
  ]);
  save(`${run}-programs.csv`, new Blob([csv], { type: 'text/csv;charset=utf-8' }));
};
