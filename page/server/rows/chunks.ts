// The rows of one set of columns: whole chunks lie in files, and the last one, which still grows, in memory.
import type { ColumnType } from '../../../evolution/reports/program-numbers.ts';
import {
  type Column,
  type Columns,
  type ColumnsHeader,
  type ColumnSet,
  ROWS_PER_ANSWER,
} from '../../api/rows/columns.ts';
import { Growing } from './growing.ts';
import { type PackedColumns, type RowFiles, unpacked } from './row-files.ts';

/** So many rows of a run that goes on may have to be read again after a kill. */
const UNSAVED_ROWS = 512;

type Types = { readonly [name: string]: ColumnType };
type Said = Pick<ColumnsHeader, 'lineage' | 'owners' | 'better' | 'models' | 'features'>;
type Held = Pick<Columns, 'column'> & { readonly rows: number };

/** A file was taken away while it was needed: everything has to be read again. */
export class RowsLost extends Error {}

export class Chunks {
  readonly #set: ColumnSet;
  readonly #types: Types;
  readonly #files: RowFiles;
  /** The header of a file. */
  readonly #said: () => Said;
  /** Whole chunks that could not be written. */
  readonly #kept = new Map<number, Columns>();
  #tail: Growing<Types>;
  #block = 0;
  #unsaved = 0;

  constructor(set: ColumnSet, types: Types, files: RowFiles, said: () => Said) {
    this.#set = set;
    this.#types = types;
    this.#files = files;
    this.#said = said;
    this.#tail = new Growing(types);
  }

  get rows(): number {
    return this.#block * ROWS_PER_ANSWER + this.#tail.rows;
  }

  get columns(): ColumnsHeader['columns'] {
    return Object.entries(this.#types).map(([name, type]) => ({ name, type }));
  }

  add(values: { readonly [name: string]: number }): void {
    this.#tail.add(values);
    this.#unsaved += 1;
    if (this.#tail.rows < ROWS_PER_ANSWER) return;
    this.save(1);
    this.#begin(this.#block + 1);
  }

  /**
   * Takes rows over from files, one chunk after the other; `use` says how many of a chunk's rows are good. Columns
   * are unpacked where they are looked at.
   */
  load(use: (header: ColumnsHeader, column: () => Columns['column']) => number): void {
    for (;;) {
      const found = this.#files.read(this.#set, this.#block);
      if (found === null || JSON.stringify(found.header.columns) !== JSON.stringify(this.columns)) return;
      let columns: Columns | null = null;
      const column = (): Columns['column'] => (columns ??= unpacked(found)).column;
      const good = Math.min(found.header.rows, use(found.header, column));
      if (good < ROWS_PER_ANSWER) {
        this.#tail.addColumns(column(), good);
        return;
      }
      this.#begin(this.#block + 1);
    }
  }

  /** The chunk that begins with this row, where it is whole and lies in a file. */
  packed(row: number): PackedColumns | null {
    const block = row / ROWS_PER_ANSWER;
    if (!Number.isInteger(block) || block >= this.#block || this.#kept.has(block)) return null;
    return this.#whole(block);
  }

  /** All rows, chunk by chunk. */
  *each(): Generator<Held> {
    for (let block = 0; block <= this.#block; block++) yield this.from(block * ROWS_PER_ANSWER);
  }

  /** A value of the last row. */
  last(name: string): number {
    const { rows } = this.#tail;
    return rows > 0 ? this.#tail.at(name)[rows - 1]! : this.#chunk(this.#block - 1).column[name]!.at(-1)!;
  }

  /** The number of rows at the end with at least this value, in a column whose values never fall. */
  rowsFrom(name: string, least: number): number {
    const atEnd = (values: Column, rows: number): number => {
      let first = rows;
      while (first > 0 && values[first - 1]! >= least) first -= 1;
      return rows - first;
    };
    let found = atEnd(this.#tail.at(name), this.#tail.rows);
    for (let block = this.#block; block > 0 && found === this.rows - block * ROWS_PER_ANSWER; block--)
      found += atEnd(this.#chunk(block - 1).column[name]!, ROWS_PER_ANSWER);
    return found;
  }

  /** The rows from this one to the end of its chunk. */
  from(row: number): Held {
    const block = Math.floor(row / ROWS_PER_ANSWER);
    const begin = row - block * ROWS_PER_ANSWER;
    if (block < this.#block) {
      const { header, column } = this.#chunk(block);
      if (begin === 0) return { column, rows: header.rows };
      const rest = Object.entries(column).map(([name, values]) => [name, values.slice(begin)]);
      return { column: Object.fromEntries(rest) as Columns['column'], rows: header.rows - begin };
    }
    const first = block > this.#block ? this.#tail.rows : Math.min(begin, this.#tail.rows);
    return { column: this.#tail.slice(first), rows: this.#tail.rows - first };
  }

  /** Keeps the first rows. */
  cut(rows: number): void {
    if (rows >= this.rows) return;
    const block = Math.floor(rows / ROWS_PER_ANSWER);
    const keep = rows - block * ROWS_PER_ANSWER;
    if (block < this.#block) {
      const { column } = this.#chunk(block);
      this.#begin(block);
      this.#tail.addColumns(column, keep);
    } else this.#tail.cut(keep);
    for (const kept of this.#kept.keys()) if (kept >= block) this.#kept.delete(kept);
    this.#files.dropFrom(this.#set, block);
    this.#unsaved = UNSAVED_ROWS;
  }

  /** Few rows are not saved, because a file is written as a whole. */
  save(atLeast = UNSAVED_ROWS): void {
    const { rows } = this.#tail;
    if (this.#unsaved < atLeast || rows === 0) return;
    const from = this.#block * ROWS_PER_ANSWER;
    const form = { set: this.#set, from, rows, total: rows, outcomes: [], columns: this.columns };
    const columns: Columns = { header: { ...this.#said(), ...form }, column: this.#tail.slice(0) };
    const written = this.#files.write(this.#set, this.#block, columns);
    if (!written && rows === ROWS_PER_ANSWER) this.#kept.set(this.#block, columns);
    this.#unsaved = 0;
  }

  #begin(block: number): void {
    this.#block = block;
    this.#tail = new Growing(this.#types);
    this.#unsaved = 0;
  }

  #chunk(block: number): Columns {
    return this.#kept.get(block) ?? unpacked(this.#whole(block));
  }

  #whole(block: number): PackedColumns {
    const found = this.#files.read(this.#set, block);
    if (found?.header.rows === ROWS_PER_ANSWER) return found;
    throw new RowsLost(`expected chunk ${block} of ${this.#set} in its file, but it is gone or torn`);
  }
}
