// Some edits bring lines back, byte for byte, that an ancestor had deleted (about 30 % of added lines, arXiv
// 2605.20086).
import { avalanche } from '../rng.ts';

/**
 * Both lists are multisets: a line stands in one as often as the other text lacks it. Each is in the order of its text.
 */
type EditedLines = { readonly added: readonly string[]; readonly deleted: readonly string[] };

/**
 * What an edit did to the lines of a program, wherever they stand: a line that moved is neither added nor deleted, and
 * of two copies that become three one is added. Indentation and blanks at the end belong to a line, its line end does
 * not. Only lines with a letter or a digit count, because blank lines, brackets and rulers come back all the time.
 */
export const editedLines = (parentCode: string, childCode: string): EditedLines => {
  const parent = countedLines(parentCode);
  const child = countedLines(childCode);
  return { added: surplus(child, parent), deleted: surplus(parent, child) };
};

/**
 * Those of the added lines that an earlier edit had deleted. `deletedBefore` holds the hashes of all lines deleted on
 * the path from the root to the parent. A line that is deleted again stays in it, and is reported again when it comes
 * back again.
 */
export const reintroduced = (added: readonly string[], deletedBefore: ReadonlySet<string>): readonly string[] =>
  deletedBefore.size === 0 ? [] : added.filter((line) => deletedBefore.has(lineHash(line)));

/**
 * A hash of 64 bits as 16 hexadecimal digits: two multiply-xor lanes over the UTF-16 units, each fed by the other.
 * Hashes are stored, so a change makes stored hashes worthless.
 */
export const lineHash = (line: string): string => {
  let a = 0x811c9dc5 | 0;
  let b = 0x9e3779b9 | 0;
  for (let at = 0; at < line.length; at++) {
    const unit = line.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193) ^ (b >>> 15);
    b = Math.imul(b ^ unit, 0x85ebca6b) ^ (a >>> 13);
  }
  a = avalanche(a ^ line.length);
  b = avalanche(b + a);
  return hex(avalanche(a + b)) + hex(b);
};

const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0');

const countedLines = (code: string): readonly string[] =>
  code.split(/\r\n?|\n/).filter((line) => /[\p{L}\p{N}]/u.test(line));

/** The lines beyond as many copies as the other text has. */
const surplus = (lines: readonly string[], other: readonly string[]): readonly string[] => {
  const left = new Map<string, number>();
  for (const line of other) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const copies = left.get(line) ?? 0;
    if (copies > 0) left.set(line, copies - 1);
    return copies === 0;
  });
};
