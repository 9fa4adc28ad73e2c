// Rows as aligned columns that fit a terminal. Numbers stand with their points below each other. What is long is cut in
// the middle, and where that is not enough, columns are left out.
import { stripVTControlCharacters } from 'node:util';
import { visible } from '../../evolution/visible.ts';
import { cutMiddle, type Paint } from './screen.ts';

type Fit = {
  /** Columns of the terminal. Without it there is no limit. */
  readonly width?: number;
  /** Titles of the columns that can be left out, the least needed first. The default is from the last to the second. */
  readonly drop?: readonly string[];
  /**
   * Columns that can be cut in the middle, with the least that must remain. The default is the first, down to 20.
   * Numbers are never cut.
   */
  readonly cut?: { readonly [title: string]: number };
  /** Colours by title, applied when the widths are known, because colours take no width. */
  readonly paint?: { readonly [title: string]: Paint };
};

type Column = {
  readonly title: string;
  readonly cells: readonly string[];
  readonly natural: number;
  readonly least: number;
};

const GAP = '  ';
/** The first row is the head. A last line names the columns that are left out. */
export const table = (
  rows: readonly (readonly string[])[],
  { width = Infinity, drop, cut, paint = {} }: Fit = {},
): readonly string[] => {
  const [head = []] = rows;
  const least = cut ?? { [head[0] ?? '']: 20 };
  const columns = head.map((title, index): Column => {
    const [own = '', ...texts] = rows.map((row) => visible(row[index] ?? '').replaceAll(/[\n\t]/g, ' '));
    const numbers = aligned(texts);
    const natural = widest([own, ...(numbers ?? texts)]);
    // Above numbers that words follow, the title begins where they do.
    const cells =
      numbers === null || numbers.some((text) => /\d [^\dkMG ]/.test(text))
        ? [own, ...(numbers ?? texts)]
        : [own, ...numbers].map((text) => text.padStart(natural));
    return { title, cells, natural, least: Math.min(natural, least[title] ?? natural) };
  });
  const { kept, left } = keep(columns, width, drop ?? head.slice(1).reverse());
  const widths = widthsOf(kept, width);
  const lines = rows.map((_, row) =>
    kept
      .map(({ title, cells }, column) => {
        const text = cutMiddle(cells[row]!, widths[column]!);
        const painted = row === 0 ? text : (paint[title]?.(text) ?? text);
        return painted + ' '.repeat(Math.max(0, widths[column]! - lengthOf(text)));
      })
      .join(GAP)
      .trimEnd(),
  );
  return left.length === 0 ? lines : [...lines, ...note(left, width)];
};

/** The lines of a table, its head once more after each screenful, so that no window of this height is without it. */
export const headed = ([head = '', ...lines]: readonly string[], height = Infinity): readonly string[] => {
  const every = Math.max(5, height - HEAD_AND_PROMPT);
  return [head, ...lines.flatMap((line, index) => (index > 0 && index % every === 0 ? [head, line] : [line]))];
};
/** The head itself, and what a command prints below a table, with the prompt after it. */
const HEAD_AND_PROMPT = 4;

/** Sign and digits before the point, digits after it, and what stands behind. */
const NUMBER = /^([-+]?\$?\d[\d,]*)(\.\d+)?((?:e[-+]?\d+)?(?:(?! to )[ %].*)?)$/;
const OF_TIME = /^\d+(?::\d\d)+$/;
const NO_NUMBER = /^(?:|-|–|none|unknown)$/;

/** Of a number with its point: scores have ten, and one more where they begin with 0. */
const MOST_DIGITS = 14;

/** The cells of a column of numbers, with as many digits after the point in each; null for other columns. */
const aligned = (texts: readonly string[]): readonly string[] | null => {
  const parts = texts.map((text) => NUMBER.exec(text));
  const numbers = parts.filter((part) => part !== null);
  const times = texts.filter((text) => OF_TIME.test(text));
  const without = texts.filter((text) => NO_NUMBER.test(text));
  if (numbers.length + times.length + without.length < texts.length) return null;
  if (numbers.length === 0 || numbers.some(([, , , after]) => /^ [kMG]$/.test(after!))) return texts;
  const [before, digits, after] = [1, 2, 3].map((part) => widest(numbers.map((one) => one[part] ?? '')));
  // Where scales differ much, digits that a number does not have would look as if they were known.
  const isOneScale = numbers.every(([, whole]) => whole!.replace(/^\D*0*/, '').length + digits! <= MOST_DIGITS);
  const zero = isOneScale ? '0' : ' ';
  return texts.map((text, index) => {
    const part = parts[index];
    return part == null
      ? text.padStart(before! + digits!) + ' '.repeat(after!)
      : part[1]!.padStart(before!) +
          (part[2] ?? (isOneScale && digits! > 0 ? '.' : '')).padEnd(digits!, zero) +
          part[3]!.padEnd(after!);
  });
};

const widest = (texts: readonly string[]): number => texts.reduce((most, text) => Math.max(most, lengthOf(text)), 0);
const lengthOf = (text: string): number => stripVTControlCharacters(text).length;

const total = (widths: readonly number[]): number =>
  widths.reduce((sum, one) => sum + one, 0) + GAP.length * Math.max(0, widths.length - 1);

/** Leaves out columns, in that order, until the least of each fits. */
const keep = (
  columns: readonly Column[],
  width: number,
  drop: readonly string[],
): { readonly kept: readonly Column[]; readonly left: readonly string[] } => {
  let kept = columns;
  const left: string[] = [];
  for (const title of drop) {
    if (total(kept.map(({ least }) => least)) <= width) break;
    if (!kept.some((column) => column.title === title)) continue;
    kept = kept.filter((column) => column.title !== title);
    left.push(title);
  }
  return { kept, left };
};

/** The widest column shrinks first, down to its least. In a window that is narrower still, columns shrink further. */
const widthsOf = (columns: readonly Column[], width: number): readonly number[] => {
  const widths = columns.map(({ natural }) => natural);
  while (total(widths) > width) {
    const room = widths.map((one, index) => (one > columns[index]!.least ? one : 0));
    const widest = room.some((one) => one > 0) ? room : widths;
    const index = widest.indexOf(Math.max(...widest));
    if (widths[index]! <= 1) break;
    widths[index]! -= 1;
  }
  return widths;
};

const note = (left: readonly string[], width: number): readonly string[] => {
  const text = `without ${left.join(', ')}: a wider window, a pipe or --json shows all`;
  return [
    text.length <= width ? text : `without ${left.length} column${left.length === 1 ? '' : 's'}: --json shows all`,
  ];
};
