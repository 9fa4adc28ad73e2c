// Applies SEARCH/REPLACE blocks. Lines are numbered once, equal ones alike, so that searches compare numbers.
import type { DiffSettings } from '../config/run-config.ts';
import { fileHead, headedBy } from '../files/program-files.ts';
import { isFileHead, markerOf, openLines } from './closed.ts';
import { type Ambiguous, type Block, type BrokenBlock, isWhole, linesOf, type Unmatched } from './diff.ts';
import { addedImports, MOVED, withImports } from './imports.ts';
import { TEXT_LIMITS } from './limits.ts';
import { whyNoMatch } from './nearest.ts';
import { placesOf, unitsOf } from './search.ts';

type Applied = {
  readonly code: string;
  readonly applied: number;
  readonly unmatched: readonly Unmatched[];
  readonly ambiguous: readonly Ambiguous[];
};

/** Matches of one block are counted up to this number. */
const MAX_PLACES = 10;

/** A program that the model was shown beside the one to change, and what it is, as in `an inspiration`. */
export type OtherProgram = { readonly name: string; readonly code: string };

type Settings = Pick<DiffSettings, 'enforceBlock' | 'strict'> &
  Partial<Pick<DiffSettings, 'match' | 'moveImports'>> & { readonly others?: readonly OtherProgram[] | undefined };

/**
 * Applies blocks in order, each to the text that the one before left. SEARCH matches whole lines, whatever white space
 * ends them; of several matches the first open one is taken and reported as ambiguous. With `match: substring`
 * (CodeEvolve's code) both sides lose outer white space, and SEARCH may begin within a line. In a program of several
 * files a block may begin with the line that names one, and then stands for that file alone.
 */
export const applyBlocks = (
  program: string,
  blocks: readonly (Block | BrokenBlock)[],
  { enforceBlock, strict, match, moveImports = false, others = [] }: Settings,
): Applied => {
  const given = linesOf(program);
  const numbers = createNumbers();
  let text = numbered(given, numbers);
  const unmatched: Unmatched[] = [];
  const ambiguous: Ambiguous[] = [];
  let steps = 0;
  /** Blocks that were looked into more closely, because they did not apply. That takes longer than the search itself. */
  let closer = 0;
  for (const [index, block] of blocks.entries()) {
    const result = isWhole(block) ? applied(block) : block.broken;
    if (typeof result === 'string') unmatched.push({ block: index + 1, reason: result });
    else {
      text = result.text;
      if (result.note !== undefined) ambiguous.push({ block: index + 1, reason: result.note });
      if (result.places > 1)
        ambiguous.push({
          block: index + 1,
          reason: `ambiguous: ${result.places}${result.places === MAX_PLACES ? ' or more' : ''} places match, the first is taken`,
        });
    }
  }
  if (strict && unmatched.length > 0) return { code: given.join('\n'), applied: 0, unmatched, ambiguous };
  return { code: text.lines.join('\n'), applied: blocks.length - unmatched.length, unmatched, ambiguous };

  function applied(given: Block): Edited | string {
    const file = fileOf(text.lines, given);
    if (typeof file === 'string') return file;
    const { block, within } = file ?? { block: given, within: null };
    if (file !== null && isBlank(block.search)) return wholeFile(text, file, enforceBlock, numbers);
    if (isBlank(block.search)) return EMPTY;
    if (enforceBlock && [block.search, block.replace].some((side) => side.some((line) => markerOf(line) !== null)))
      return MARKED;
    steps += match === 'substring' ? lengthOf(text.lines) + lengthOf(block.search) : text.lines.length;
    steps += block.search.length;
    if (steps > TEXT_LIMITS.searchSteps)
      return `not searched for: this block and those before it need more than ${TEXT_LIMITS.searchSteps} steps in a program of this length`;
    const edited =
      match === 'substring'
        ? applySubstring(text, block, openMask(text.lines, enforceBlock, within), numbers)
        : applyBlock(text, block, openMask(text.lines, enforceBlock, within), numbers);
    if (typeof edited !== 'string' || ++closer > TEXT_LIMITS.blockNotes) return edited;
    if (edited === OUTSIDE && within !== null) return `${OUTSIDE}, or in another file than ${within.name}`;
    if (edited === NO_MATCH) return standsIn(others, block.search) ?? whyNoMatch(text.lines, block.search);
    return (moveImports ? withMovedImports(text, block, numbers) : null) ?? edited;
  }
};

const isBlank = (lines: readonly string[]): boolean => lines.every((line) => line.trim() === '');

/** Lines of one file, from `from` to before `end`. */
type FileSpan = { readonly name: string; readonly from: number; readonly end: number };
/** A block without the line that names its file; `within` is null where the program has no such file yet. */
type FileBlock = { readonly name: string; readonly block: Block; readonly within: FileSpan | null };

/** The file that a block names, or why it cannot be applied; null where it names none. */
const fileOf = (lines: readonly string[], { search, replace }: Block): FileBlock | string | null => {
  const name = headedBy(lines[0]) === null ? null : headedBy(search[0]);
  if (name === null) return null;
  const block = { search: search.slice(1), replace: headedBy(replace[0]) === name ? replace.slice(1) : replace };
  if ([...block.search, ...block.replace].some(isFileHead))
    return `${OUTSIDE}: the lines that name files stay as they are`;
  const from = lines.indexOf(fileHead(name)) + 1;
  if (from === 0)
    return isBlank(block.search) ? { name, block, within: null } : `no match: the program has no file ${name}`;
  const length = lines.slice(from).findIndex(isFileHead);
  return { name, block, within: { name, from, end: length < 0 ? lines.length : from + length } };
};

/** A block of which SEARCH is no more than the name of a file is that file whole, or a new one. */
const wholeFile = (
  { lines, numbers }: Numbered,
  { name, block: { replace }, within }: FileBlock,
  enforceBlock: boolean,
  numberOf: Numbers,
): Edited | string => {
  const given = [...replace.slice(0, replace.findLastIndex((line) => line.trim() !== '') + 1), ''];
  if (within === null) return { text: numbered([...lines, fileHead(name), ...given], numberOf), places: 1 };
  const { from, end } = within;
  if (enforceBlock && lines.slice(from, end).some((line) => markerOf(line) !== null))
    return `${OUTSIDE}: ${name} has one, so that it cannot be replaced whole`;
  return {
    text: {
      lines: [...lines.slice(0, from), ...given, ...lines.slice(end)],
      numbers: [...numbers.slice(0, from), ...given.map(numberOf), ...numbers.slice(end)],
    },
    places: 1,
  };
};

/** The lines that may be edited; null where all may. */
const openMask = (
  lines: readonly string[],
  enforceBlock: boolean,
  within: FileSpan | null,
): readonly boolean[] | null => {
  const open = openLines(lines, enforceBlock);
  return within === null || open === null
    ? open
    : open.map((isOpen, index) => isOpen && within.from <= index && index < within.end);
};

/** Lines with a number for each: equal lines have equal numbers, whatever white space ends them. */
type Numbered = { readonly lines: readonly string[]; readonly numbers: readonly number[] };
type Edited = { readonly text: Numbered; readonly places: number; readonly note?: string };
type Numbers = (line: string) => number;

const createNumbers = (): Numbers => {
  const known = new Map<string, number>();
  return (line) => {
    const key = line.trimEnd();
    const number = known.get(key) ?? known.size;
    known.set(key, number);
    return number;
  };
};

const numbered = (lines: readonly string[], numbers: Numbers): Numbered => ({ lines, numbers: lines.map(numbers) });

const lengthOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0);

const EMPTY = 'empty SEARCH';
const MARKED = 'contains a marker: the EVOLVE-BLOCK lines stay as they are';
const OUTSIDE = 'outside the EVOLVE-BLOCK';
const NO_MATCH = 'no match: the program has no such lines';

/** The numbers of the blocks of an answer that were not applied, of those with which something was wrong. */
export const notApplied = (edits: readonly Unmatched[]): readonly number[] =>
  edits.flatMap(({ block, reason }) => (reason.startsWith('no match') || reason.startsWith(OUTSIDE) ? [block] : []));

/** The edited lines and the number of matches, or the reason why there is no edit. */
const applyBlock = (
  { lines, numbers }: Numbered,
  { search, replace }: Block,
  mask: readonly boolean[] | null,
  numberOf: Numbers,
): Edited | string => {
  const closedBefore = mask && countClosed(mask);
  const isOpen = (start: number): boolean =>
    closedBefore === null || closedBefore[start + search.length] === closedBefore[start];
  let outside = false;
  let first: number | null = null;
  let places = 0;
  for (const start of placesOf(numbers, search.map(numberOf), { overlapping: true })) {
    if (!isOpen(start)) {
      outside = true;
      continue;
    }
    first ??= start;
    if (++places === MAX_PLACES) break;
  }
  if (first === null) return outside ? OUTSIDE : NO_MATCH;
  const end = first + search.length;
  return {
    text: {
      lines: lines.slice(0, first).concat(replace, lines.slice(end)),
      numbers: numbers.slice(0, first).concat(replace.map(numberOf), numbers.slice(end)),
    },
    places,
  };
};

/** The number of closed lines before each line and the end. */
const countClosed = (open: readonly boolean[]): Int32Array => {
  const counts = new Int32Array(open.length + 1);
  for (const [index, isOpen] of open.entries()) counts[index + 1] = counts[index]! + (isOpen ? 0 : 1);
  return counts;
};

/** The name of another program that has these lines, in a sentence; null where none has. */
const standsIn = (others: readonly OtherProgram[], search: readonly string[]): string | null => {
  const other = others.find(({ code }) => {
    const numberOf = createNumbers();
    const [place] = placesOf(linesOf(code).map(numberOf), search.map(numberOf), { overlapping: true });
    return place !== undefined;
  });
  return other === undefined ? null : `no match: these lines stand in ${other.name}, not in the program to change`;
};

/** The imports that a block adds outside the open block, put into it; null where the block does anything else. */
const withMovedImports = (
  { lines, numbers }: Numbered,
  { search, replace }: Block,
  numberOf: Numbers,
): Edited | string | null => {
  const imports = addedImports(search, replace);
  const [place] = placesOf(numbers, search.map(numberOf), { overlapping: true });
  if (imports === null || place === undefined) return null;
  const moved = withImports(lines, imports, place);
  if (moved === null) return null;
  return 'reason' in moved
    ? `${OUTSIDE}: ${moved.reason}`
    : { text: numbered(moved.lines, numberOf), places: 1, note: MOVED };
};

/** Applies a block to any part of the text, both sides without their outer white space. */
const applySubstring = (
  { lines }: Numbered,
  { search, replace }: Block,
  mask: readonly boolean[] | null,
  numberOf: Numbers,
): Edited | string => {
  const sought = search.join('\n').trim();
  const text = lines.join('\n');
  const starts = occurrences(openParts(lines, mask), sought);
  const [first] = starts;
  if (first !== undefined)
    return {
      text: numbered(
        `${text.slice(0, first)}${replace.join('\n').trim()}${text.slice(first + sought.length)}`.split('\n'),
        numberOf,
      ),
      places: starts.length,
    };
  const [outside] = placesOf(unitsOf(text), unitsOf(sought), { overlapping: false });
  return outside === undefined ? NO_MATCH : OUTSIDE;
};

/** A run of lines that may be edited, and the offset in the program at which it begins. */
type Part = { readonly at: number; readonly text: string };

/** `open` is null where every line may be edited. */
const openParts = (lines: readonly string[], open: readonly boolean[] | null): readonly Part[] => {
  if (open === null) return [{ at: 0, text: lines.join('\n') }];
  const parts: Part[] = [];
  let at = 0;
  for (let from = 0, to = 0; from < lines.length; from = to) {
    for (to = from + 1; to < lines.length && open[to] === open[from]; to += 1);
    const text = lines.slice(from, to).join('\n');
    if (open[from]) parts.push({ at, text });
    at += text.length + 1;
  }
  return parts;
};

/** Offsets in the program, as many as are counted. */
const occurrences = (parts: readonly Part[], wanted: string): readonly number[] => {
  const starts: number[] = [];
  const units = unitsOf(wanted);
  for (const { at, text } of parts) {
    if (text.length < wanted.length) continue;
    for (const start of placesOf(unitsOf(text), units, { overlapping: false })) {
      starts.push(at + start);
      if (starts.length === MAX_PLACES) return starts;
    }
  }
  return starts;
};
