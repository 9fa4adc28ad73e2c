// Differences that a rebuild finds: the first ones whole, the rest counted.
import { sameContent } from '../store/collection.ts';

// What a rebuild finds to differ: the first few in full, all of them counted.
/** `expected`: what the stored programs and evaluations give; `found`: what is stored. Excerpts of JSON. */
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

  /** Notes the pair where it says two things. */
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

/** Both from shortly before the first character that differs. */
const excerpts = (expected: string, found: string): Pick<Difference, 'expected' | 'found'> => {
  let same = 0;
  while (same < expected.length && expected[same] === found[same]) same++;
  const from = same < EXCERPT_CHARS / 2 ? 0 : same - EXCERPT_CHARS / 4;
  const cut = (text: string): string =>
    `${from > 0 ? '...' : ''}${text.slice(from, from + EXCERPT_CHARS)}${text.length > from + EXCERPT_CHARS ? '...' : ''}`;
  return { expected: cut(expected), found: cut(found) };
};
