// Lines that an edit brings back and that an ancestor had deleted (about 30 % of added lines, arXiv 2605.20086).
import { avalanche } from '../rng.ts';

/** Multisets, in the order of the texts. */
type EditedLines = { readonly added: readonly string[]; readonly deleted: readonly string[] };

/**
 * The lines that an edit added and deleted, wherever they stand: of two copies that become three, one is added.
 * Indentation counts, line ends do not. Only lines with a letter or a digit count, because others come back all the
 * time.
 */
export const editedLines = (parentCode: string, childCode: string): EditedLines => {
  const parent = countedLines(parentCode);
  const child = countedLines(childCode);
  return { added: surplus(child, parent), deleted: surplus(parent, child) };
};

/**
 * The added lines that an earlier edit had deleted. `deletedBefore` holds the hashes of all lines deleted on the path
 * from the root; they stay in it.
 */
export const reintroduced = (added: readonly string[], deletedBefore: ReadonlySet<string>): readonly string[] =>
  deletedBefore.size === 0 ? [] : added.filter((line) => deletedBefore.has(lineHash(line)));

/** A hash of 64 bits in 16 hexadecimal digits. Hashes are stored, so a change makes them worthless. */
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
export const surplus = (
  lines: readonly string[],
  other: readonly string[],
  of = (line: string): string => line,
): readonly string[] => {
  const left = new Map<string, number>();
  for (const line of other) left.set(of(line), (left.get(of(line)) ?? 0) + 1);
  return lines.filter((line) => {
    const copies = left.get(of(line)) ?? 0;
    if (copies > 0) left.set(of(line), copies - 1);
    return copies === 0;
  });
};
