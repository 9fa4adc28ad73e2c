// The rows of one set of columns: whole stretches lie in files, and the last one, which still grows, in memory.
import {
  type Columns,
  type ColumnsHeader,
  type ColumnSet,
  type ColumnType,
  ROWS_PER_ANSWER,
} from '../../data/columns.ts';
import { Growing } from './growing.ts';
import type { RowFiles } from './row-files.ts';

/** Of a run that still goes on, so many rows may have to be read again after a kill. */
const UNSAVED_ROWS = 512;

type Types = { readonly [name: string]: ColumnType };

export class Stretches {
  readonly #set: ColumnSet;
  readonly #types: Types;
  readonly #files: RowFiles;
  /** What a file says of itself. */
  readonly #header: () => Pick<ColumnsHeader, 'lineage' | 'owners' | 'better' | 'models' | 'features'>;
  #tail: Growing<Types>;
  #block = 0;
  #unsaved = 0;

  constructor(set: ColumnSet, types: Types, files: RowFiles, header: Stretches['header']) {
    this.#set = set;
    this.#types = types;
    this.#files = files;
    this.#header = header;
    this.#tail = new Growing(types);
  }

  get header() {
    return this.#header;
  }

  get rows(): number {
    return this.#block * ROWS_PER_ANSWER + this.#tail.rows;
  }

  add(values: { readonly [name: string]: number }): void {
    this.#tail.add(values);
    this.#unsaved += 1;
    if (this.#tail.rows === ROWS_PER_ANSWER) this.#begin(this.#block + 1, true);
  }

  /** Takes rows over from files, one stretch after the other; `use` says how many of a stretch's rows are good. */
  load(use: (columns: Columns) => number): void {
    for (;;) {
      const found = this.#files.read(this.#set, this.#block);
      if (found === null || !this.#fits(found)) return;
      const good = Math.min(found.header.rows, use(found));
      this.#tail.addColumns(found.column, good);
      if (good < ROWS_PER_ANSWER) return;
      this.#begin(this.#block + 1, false);
    }
  }

  /** The rows from `from` to the end of their stretch. Null where a file was taken away meanwhile. */
  from(row: number): (Pick<Columns, 'column'> & { readonly rows: number }) | null {
    const block = Math.floor(row / ROWS_PER_ANSWER);
    const begin = row - block * ROWS_PER_ANSWER;
    if (block === this.#block) {
      const rows = Math.max(0, this.#tail.rows - begin);
      return { column: this.#tail.slice(Math.min(begin, this.#tail.rows)), rows };
    }
    if (block > this.#block) return { column: new Growing(this.#types).slice(0), rows: 0 };
    const found = this.#files.read(this.#set, block);
    if (found === null) return null;
    if (begin === 0) return { column: found.column, rows: found.header.rows };
    const column = Object.fromEntries(
      Object.entries(found.column).map(([name, values]) => [name, values.slice(begin)]),
    );
    return { column, rows: found.header.rows - begin };
  }

  /** Keeps the first rows. */
  cut(rows: number): void {
    if (rows >= this.rows) return;
    const block = Math.floor(rows / ROWS_PER_ANSWER);
    if (block < this.#block) {
      const found = this.#files.read(this.#set, block);
      this.#tail = new Growing(this.#types);
      this.#block = block;
      // Where the file is gone the rows are fewer, and are read again.
      if (found !== null) this.#tail.addColumns(found.column, found.header.rows);
      else this.#block = 0;
    }
    this.#tail.cut(rows - this.#block * ROWS_PER_ANSWER);
    this.#unsaved = UNSAVED_ROWS;
  }

  save(atLeast = UNSAVED_ROWS): void {
    if (this.#unsaved < atLeast || this.#tail.rows === 0) return;
    this.#write();
  }

  #begin(block: number, save: boolean): void {
    if (save) this.#write();
    this.#block = block;
    this.#tail = new Growing(this.#types);
    this.#unsaved = 0;
  }

  #write(): void {
    const rows = this.#tail.rows;
    const columns = Object.entries(this.#types).map(([name, type]) => ({ name, type }));
    const from = this.#block * ROWS_PER_ANSWER;
    const header: ColumnsHeader = { ...this.#header(), set: this.#set, from, rows, total: rows, outcomes: [], columns };
    this.#files.write(this.#set, this.#block, { header, column: this.#tail.slice(0) });
    this.#unsaved = 0;
  }

  #fits({ header }: Columns): boolean {
    return (
      JSON.stringify(header.columns) ===
      JSON.stringify(Object.entries(this.#types).map(([name, type]) => ({ name, type })))
    );
  }
}
