// What a table shows as a file that spreadsheets read.
import { idOf, type Rows } from '../../data/rows.ts';
import type { TableColumn } from '../../data/table.ts';
import { inCsv } from '../../../evolution/visible.ts';
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

/** `href` of a link that is used once. */
export const save = (parts: BlobPart[], type: string, name: string): void => {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
};

export const download = (run: string, rows: Rows, order: Uint32Array, columns: readonly TableColumn[]): void =>
  save(csvOf(rows, order, columns, run), 'text/csv;charset=utf-8', `${run}-programs.csv`);
