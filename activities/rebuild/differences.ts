// The differences that a rebuild finds: the first ones are kept in full, all are counted.
import { sameContent } from '../store/documents/collection.ts';

/** `expected` follows from the stored programs and evaluations; `found` is stored. Both are excerpts of JSON. */
export type Difference = {
  readonly step: number;
  readonly what: string;
  readonly expected: string;
  readonly found: string;
};

const KEPT = 50;
const EXCERPT_CHARS = 160;

export class Differences {
  readonly #first: Difference[] = [];
  #count = 0;

  get first(): readonly Difference[] {
    return this.#first;
  }
  get count(): number {
    return this.#count;
  }

  /** Notes a difference where the two are not the same as JSON. */
  compare(step: number, what: string, expected: unknown, found: unknown): void {
    if (sameContent(expected, found)) return;
    this.#count++;
    if (this.#first.length < KEPT)
      this.#first.push({
        step,
        what,
        ...excerpts(JSON.stringify(expected) ?? 'nothing', JSON.stringify(found) ?? 'nothing'),
      });
  }
}

/** Both texts from shortly before the first character that differs. */
const excerpts = (expected: string, found: string): Pick<Difference, 'expected' | 'found'> => {
  let same = 0;
  while (same < expected.length && expected[same] === found[same]) same++;
  const from = same < EXCERPT_CHARS / 2 ? 0 : same - EXCERPT_CHARS / 4;
  const cut = (text: string): string =>
    `${from > 0 ? '...' : ''}${text.slice(from, from + EXCERPT_CHARS)}${text.length > from + EXCERPT_CHARS ? '...' : ''}`;
  return { expected: cut(expected), found: cut(found) };
};
