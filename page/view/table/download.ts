// The rows of a table as a file that spreadsheets read.
import { idOf, type Rows } from '../../api/rows/rows.ts';
import type { TableColumn } from '../../api/rows/order.ts';
import { inCsv } from '../../../evolution/visible.ts';
import { save } from '../base/save.ts';
import { CELLS } from './cells.ts';

const csvOf = (rows: Rows, order: Uint32Array, columns: readonly TableColumn[], run: string): BlobPart[] => {
  const parts: string[] = [`${columns.map((name) => inCsv(CELLS[name].title)).join(',')}\r\n`];
  const cell = (name: TableColumn, row: number): string => {
    const { value, text } = CELLS[name];
    return inCsv(name === 'id' ? idOf(rows, row) : value === undefined ? text(rows, row, run) : value(rows, row));
  };
  for (const row of order) parts.push(`${columns.map((name) => cell(name, row)).join(',')}\r\n`);
  return parts;
};

export const download = (run: string, rows: Rows, order: Uint32Array, columns: readonly TableColumn[]): void =>
  save(`${run}-programs.csv`, new Blob(csvOf(rows, order, columns, run), { type: 'text/csv;charset=utf-8' }));
