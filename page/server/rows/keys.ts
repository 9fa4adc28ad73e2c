// The row of each program. Ids are kept as the numbers that they are made of, in one table of all rows of a run; it
// also holds the fit, with which a later child is compared.
import { Growing } from './growing.ts';

const KEYS = { owner: 'u16', step: 'u32', named: 'u32', epoch: 'u16', slot: 'u32', fit: 'f64' } as const;
export type Key = { readonly [name in keyof typeof KEYS]: number };
type Named = Pick<Key, 'owner' | 'named' | 'epoch' | 'slot'>;

const EMPTY = -1;
const FIRST_SIZE = 1 << 12;

const hashOf = ({ owner, named, epoch, slot }: Named): number => {
  let hash =
    Math.imul(named + 1, 0x9e3779b1) ^
    Math.imul(slot + 1, 0x85ebca6b) ^
    Math.imul(epoch * 65_536 + owner + 1, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
};

export class Keys {
  #columns = new Growing(KEYS);
  /** Open addressing; at most half of it is taken. */
  #table = new Int32Array(FIRST_SIZE).fill(EMPTY);

  get rows(): number {
    return this.#columns.rows;
  }

  add(key: Key): void {
    this.#columns.add(key);
    if (this.#columns.rows * 2 > this.#table.length) this.#fill(this.#table.length * 2);
    else this.#put(this.#columns.rows - 1);
  }

  cut(rows: number): void {
    this.#columns.cut(rows);
    this.#fill(this.#table.length);
  }

  get(row: number): Key {
    return {
      owner: this.#columns.at('owner')[row]!,
      step: this.#columns.at('step')[row]!,
      named: this.#columns.at('named')[row]!,
      epoch: this.#columns.at('epoch')[row]!,
      slot: this.#columns.at('slot')[row]!,
      fit: this.#columns.at('fit')[row]!,
    };
  }

  /** NaN where the program has none. */
  fit(row: number): number {
    return this.#columns.at('fit')[row]!;
  }

  /** -1 where no row is it. */
  rowOf(named: Named): number {
    const mask = this.#table.length - 1;
    for (let at = hashOf(named) & mask; ; at = (at + 1) & mask) {
      const row = this.#table[at]!;
      if (row === EMPTY || this.#is(row, named)) return row;
    }
  }

  #is(row: number, { owner, named, epoch, slot }: Named): boolean {
    const columns = this.#columns;
    return (
      columns.at('slot')[row] === slot &&
      columns.at('named')[row] === named &&
      columns.at('epoch')[row] === epoch &&
      columns.at('owner')[row] === owner
    );
  }

  #put(row: number): void {
    const mask = this.#table.length - 1;
    let at = hashOf(this.get(row)) & mask;
    while (this.#table[at] !== EMPTY) at = (at + 1) & mask;
    this.#table[at] = row;
  }

  #fill(size: number): void {
    this.#table = new Int32Array(size).fill(EMPTY);
    for (let row = 0; row < this.rows; row++) this.#put(row);
  }
}
