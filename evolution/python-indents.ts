// The stack of indentations of a Python source (Language Reference 2.1.8). Called by the lexer.
import { TokenError } from './python-token-error.ts';

/** Width of the white space that begins a line: tabs to the next multiple of 8, and, to find tabs mixed with spaces, tabs as one. */
export type Width = { readonly column: number; readonly narrow: number };

/** CPython's own limit. */
const MAX_INDENTS = 100;

export class Indents {
  readonly #open: Width[] = [{ column: 0, narrow: 0 }];

  get depth(): number { return this.#open.length - 1; }

  /** Levels entered (1) or left (below 0) by a line of this width. */
  enter({ column, narrow }: Width, offset: number): number {
    const top = this.#open.at(-1)!;
    if (column > top.column) {
      if (narrow <= top.narrow) throw mixed(offset);
      if (this.#open.length >= MAX_INDENTS) throw new TokenError('too many levels of indentation', offset);
      this.#open.push({ column, narrow });
      return 1;
    }
    let left = 0;
    while (column < this.#open.at(-1)!.column) { this.#open.pop(); left++; }
    const level = this.#open.at(-1)!;
    if (column !== level.column) throw new TokenError('unindent does not match any outer level', offset);
    if (narrow !== level.narrow) throw mixed(offset);
    return -left;
  }
}

const mixed = (offset: number): TokenError => new TokenError('tabs and spaces are mixed in the indentation', offset);
