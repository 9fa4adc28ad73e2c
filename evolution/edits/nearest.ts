// The reason why the lines of a block stand nowhere in the program: the line that differs. Time is linear in both.
import { quoted } from './closed.ts';
import { looks } from './markers.ts';
import { placesOf } from './search.ts';

/** Lines that occur more often than this say nothing about where a block was meant. */
const COMMON = 8;
/** The least share of a line that the nearest line must have in common with it. */
const LIKE = 0.7;

const ENDS = 'no match: the program has these lines, with other white space at their ends';

/** `search` has a line that is not blank, and does not stand in the program. */
export const whyNoMatch = (lines: readonly string[], search: readonly string[]): string =>
  otherIndentation(lines, search) ?? otherLine(lines, search) ?? likeLine(lines, search);

const otherIndentation = (lines: readonly string[], search: readonly string[]): string | null => {
  const known = new Map<string, number>();
  const number = (line: string): number => {
    const key = line.trim();
    const found = known.get(key) ?? known.size;
    known.set(key, found);
    return found;
  };
  const [near] = placesOf(lines.map(number), search.map(number), { overlapping: true });
  if (near === undefined) return null;
  const at = search.findIndex((line, index) => line.trimEnd() !== lines[near + index]!.trimEnd());
  if (at < 0) return ENDS;
  return `no match: ${named(search[at]!, at)}, and line ${near + at + 1} of the program differs from it in indentation: the program begins it with ${indentOf(lines[near + at]!)}, SEARCH with ${indentOf(search[at]!)}${unseen(search[at]!, lines[near + at]!)}`;
};

const indentOf = (line: string): string => {
  const blanks = /^\s*/.exec(line.trimEnd())![0];
  const unit = blanks.includes('\t') ? 'blank' : 'space';
  return blanks === '' ? 'no space' : `${blanks.length} ${unit}${blanks.length === 1 ? '' : 's'}`;
};

/** The first line that differs where most lines of the block match. */
const otherLine = (lines: readonly string[], search: readonly string[]): string | null => {
  const places = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const key = squeezed(line);
    if (key === '') continue;
    const at = places.get(key);
    if (at === undefined) places.set(key, [index]);
    else if (at.length <= COMMON) at.push(index);
  }
  const votes = new Map<number, number>();
  let start: number | null = null;
  for (const [index, line] of search.entries()) {
    const at = places.get(squeezed(line)) ?? [];
    if (at.length > COMMON) continue;
    for (const place of at) {
      const count = (votes.get(place - index) ?? 0) + 1;
      votes.set(place - index, count);
      if (start === null || count > votes.get(start)!) start = place - index;
    }
  }
  if (start === null) return null;
  const from = start;
  const at = search.findIndex((line, index) => line.trimEnd() !== lines[from + index]?.trimEnd());
  const line = lines[from + at];
  return `no match: ${named(search[at]!, at)}, but ${line === undefined ? `the program ${from + at < 0 ? 'begins after it' : 'ends before it'}` : `line ${from + at + 1} of the program is ${quoted(line.trimEnd())}${unseen(search[at]!, line)}`}`;
};

const likeLine = (lines: readonly string[], search: readonly string[]): string => {
  const at = search.findIndex((line) => line.trim() !== '');
  const wanted = wordsOf(looks(search[at]!));
  let best = { like: 0, index: -1 };
  for (const [index, line] of lines.entries()) {
    const like = likeness(wanted, wordsOf(looks(line)));
    if (like > best.like) best = { like, index };
  }
  return best.like < LIKE
    ? `no match: the program has none of these lines; ${named(search[at]!, at)}`
    : `no match: ${named(search[at]!, at)}; the nearest line of the program is line ${best.index + 1}, ${quoted(lines[best.index]!.trimEnd())}${unseen(search[at]!, lines[best.index]!)}`;
};

const named = (line: string, index: number): string => `line ${index + 1} of SEARCH is ${quoted(line.trimEnd())}`;

/** Names the first character that differs where two lines look equal; else empty. */
const unseen = (search: string, line: string): string => {
  if (looks(search) !== looks(line)) return '';
  const [wanted, there] = [[...search], [...line]];
  const at = wanted.findIndex((character, index) => character !== there[index]);
  const codeOf = (character: string | undefined): string =>
    character === undefined ? 'the end' : `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
  return at < 0
    ? ''
    : `; both look equal, and column ${at + 1} is ${codeOf(wanted[at])} in SEARCH, ${codeOf(there[at])} in the program`;
};

const squeezed = (line: string): string => line.replaceAll(/\s+/g, '');

type Words = { readonly counts: ReadonlyMap<string, number>; readonly total: number };

/** The words and signs of a line, each with how often it stands there. */
const wordsOf = (line: string): Words => {
  const counts = new Map<string, number>();
  let total = 0;
  for (const [word] of line.matchAll(/\w+|[^\w\s]/g)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
    total++;
  }
  return { counts, total };
};

/** The share of their words and signs that two lines have in common, from 0 to 1. It takes the time of `line`. */
const likeness = (wanted: Words, line: Words): number => {
  let common = 0;
  for (const [word, count] of line.counts) common += Math.min(count, wanted.counts.get(word) ?? 0);
  return common === 0 ? 0 : (2 * common) / (wanted.total + line.total);
};
