// The code of programs in one request: what is much like a program above is shown as a difference against it, and what
// stands above already is named (docs/prompts.md, The common frame).
import { structuredPatch } from 'diff';
import { surplus } from '../../edits/reintroduced.ts';
import { fenced, fencedProgram } from './sections.ts';

/** A program that shares more of its lines than this with one above is shown as a difference. */
const ALIKE = 0.6;
/** Lines of the difference around each change. */
const CONTEXT = 2;
/** Beyond so many changed lines a difference is not looked for. */
const MOST_EDITS = 2_000;

type Whole = { readonly name: string; readonly text: string; readonly lines: readonly string[] };

/** The programs that a request shows, in the order in which they stand there. */
export class ShownCode {
  readonly #whole: Whole[] = [];
  readonly #names = new Map<string, string>();
  #explained = false;

  /** `current`: the program to change, which stands whole above all others; null where there is none. */
  constructor(current: string | null, name = 'the current program') {
    if (current !== null) this.#add(current.trimEnd(), name);
  }

  /** The program whole, or as a difference, or the name under which it stands above. */
  show(code: string, name: string): string {
    const text = code.trimEnd();
    const known = this.#names.get(text);
    if (known !== undefined) return `Its code is that of ${known}.`;
    const near = this.#nearest(text);
    if (near === null) {
      this.#add(text, `${name} above`);
      return fencedProgram(code);
    }
    this.#names.set(text, `${name} above`);
    const form = this.#explained
      ? ''
      : ` (a unified diff: \`-\` marks lines of ${near.name} alone, \`+\` lines of this one alone; edits are not written so)`;
    this.#explained = true;
    return `Its code is that of ${near.name} but for this difference${form}:\n\n${fenced(near.difference, 'diff')}`;
  }

  /** The program, or one much like it, stands above. */
  hasAlike(code: string): boolean {
    const text = code.trimEnd();
    return this.#names.has(text) || this.#nearest(text) !== null;
  }

  /** Null where the program does not stand above. */
  nameOf(code: string): string | null {
    return this.#names.get(code.trimEnd()) ?? null;
  }

  #add(text: string, name: string): void {
    this.#whole.push({ name, text, lines: linesOf(text) });
    this.#names.set(text, name);
  }

  /** The program above that it is most alike, of equals the first. */
  #nearest(text: string): { readonly name: string; readonly difference: string } | null {
    const lines = linesOf(text);
    const [most] = this.#whole
      .map((whole) => ({ whole, shared: 1 - surplus(lines, whole.lines).length / Math.max(1, lines.length) }))
      .filter(({ shared }) => shared > ALIKE)
      .sort((a, b) => b.shared - a.shared);
    const difference = most === undefined ? null : differenceOf(most.whole.text, text);
    return difference === null || difference.length >= text.length ? null : { name: most!.whole.name, difference };
  }
}

const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line.trim() !== '');

const differenceOf = (before: string, after: string): string | null =>
  structuredPatch('', '', `${before}\n`, `${after}\n`, '', '', { context: CONTEXT, maxEditLength: MOST_EDITS })
    ?.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) =>
      [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines].join('\n'),
    )
    .join('\n') ?? null;
