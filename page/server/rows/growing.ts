// Typed columns that grow row by row, so that a hundred thousand programs are held without an object for any of them.
import type { ColumnType } from '../../../evolution/reports/program-numbers.ts';
import { type Column, COLUMN_TYPES } from '../../api/rows/columns.ts';

type Types = { readonly [name: string]: ColumnType };
type Held<T extends Types> = { [name in keyof T]: Column };
const FIRST_ROOM = 1_024;

export class Growing<T extends Types> {
  readonly types: T;
  #columns: Held<T>;
  #rows = 0;

  constructor(types: T) {
    this.types = types;
    this.#columns = Object.fromEntries(
      Object.entries(types).map(([name, type]) => [name, new COLUMN_TYPES[type](0)]),
    ) as Held<T>;
  }

  get rows(): number {
    return this.#rows;
  }

  /** The column with room for more rows than there are; it is another one after more were added. */
  at(name: keyof T): Column {
    return this.#columns[name];
  }

  add(values: { readonly [name in keyof T]: number }): void {
    this.#makeRoom(this.#rows + 1);
    for (const name in this.types) this.#columns[name][this.#rows] = values[name];
    this.#rows += 1;
  }

  /** Adds rows that are columns already. */
  addColumns(columns: { readonly [name: string]: Column }, rows: number): void {
    this.#makeRoom(this.#rows + rows);
    for (const name in this.types) this.#columns[name].set(columns[name]!.subarray(0, rows), this.#rows);
    this.#rows += rows;
  }

  /** Keeps the first rows. */
  cut(rows: number): void {
    this.#rows = Math.min(this.#rows, rows);
  }

  slice(from: number, to: number = this.#rows): { readonly [name in keyof T]: Column } {
    return Object.fromEntries(
      Object.entries(this.#columns).map(([name, column]) => [
        name,
        (column as Column).slice(from, Math.min(to, this.#rows)),
      ]),
    ) as { [name in keyof T]: Column };
  }

  #makeRoom(rows: number): void {
    const name = Object.keys(this.types)[0]!;
    const room = this.#columns[name]!.length;
    if (rows <= room) return;
    const wanted = Math.max(FIRST_ROOM, rows, Math.ceil(room * 1.5));
    for (const [key, type] of Object.entries(this.types)) {
      const column = new COLUMN_TYPES[type](wanted);
      column.set(this.#columns[key]!.subarray(0, this.#rows));
      this.#columns[key as keyof T] = column;
    }
  }
}
