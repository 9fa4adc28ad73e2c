// A model's response becomes a child's text in three steps: which part of the response is the answer, which
// SEARCH/REPLACE blocks it holds, and how they are applied to the parent (docs/methods/thetaevolve.md, From an answer
// to a child).
import type { DiffSettings } from '../config/run-config.ts';

/** Whole lines, without their ends. */
export type Block = { readonly search: readonly string[]; readonly replace: readonly string[] };
/** A SEARCH marker whose block is not whole, and what the block lacks. */
export type BrokenBlock = { readonly broken: string };
/** A block that does not apply. Blocks are numbered from 1, as they stand in the answer. */
export type Unmatched = { readonly block: number; readonly reason: string };
/** A block that applies, and might have been meant for another place as well. */
export type Ambiguous = { readonly block: number; readonly reason: string };
type Applied = {
  readonly code: string;
  readonly applied: number;
  readonly unmatched: readonly Unmatched[];
  readonly ambiguous: readonly Ambiguous[];
};

const SEARCH = /^<<<<<<< SEARCH\s*$/;
const DIVIDER = /^=======\s*$/;
const REPLACE = /^>>>>>>> REPLACE\s*$/;
export const BLOCK_START = /^\s*(?:#|\/\/)\s*EVOLVE-BLOCK-START\b/;
export const BLOCK_END = /^\s*(?:#|\/\/)\s*EVOLVE-BLOCK-END\b/;

/** Bounds the work of an absurd answer. */
const MAX_BLOCKS = 1000;
/** Matches of one block are counted up to this number. */
const MAX_PLACES = 10;

/**
 * What follows the reasoning: the text after the last `</think>`, and nothing where a reasoning block is still open at
 * the end.
 */
export const readAnswer = (text: string, parse: DiffSettings['parse']): string => {
  if (parse === 'whole') return text;
  const closed = text.lastIndexOf('</think>');
  const rest = closed < 0 ? text : text.slice(closed + '</think>'.length);
  return rest.includes('<think>') ? '' : rest;
};

/**
 * The complete blocks in their order. One that is cut off, or in which the next block begins before its REPLACE marker,
 * is not complete.
 */
export const parseBlocks = (answer: string): readonly Block[] => readBlocks(answer).filter(isWhole);

/** The blocks in their order, each broken one in its place. */
export const readBlocks = (answer: string): readonly (Block | BrokenBlock)[] => {
  const blocks: (Block | BrokenBlock)[] = [];
  let search: string[] | null = null;
  let replace: string[] | null = null;
  const breakOff = (where: string): void => {
    if (search !== null)
      blocks.push({ broken: `marker broken: no line ${replace === null ? '=======' : '>>>>>>> REPLACE'} ${where}` });
    search = null;
    replace = null;
  };
  for (const line of linesOf(answer)) {
    if (SEARCH.test(line)) {
      breakOff('before the next SEARCH');
      search = [];
    } else if (search === null) continue;
    else if (replace === null && DIVIDER.test(line)) replace = [];
    else if (!REPLACE.test(line)) (replace ?? search).push(line);
    else if (replace === null) breakOff('between SEARCH and REPLACE');
    else {
      blocks.push({ search, replace });
      search = null;
      replace = null;
    }
  }
  breakOff('up to the end of the answer');
  return blocks;
};

export const isWhole = (block: Block | BrokenBlock): block is Block => !('broken' in block);

/** The first line that looks like a SEARCH marker but is not one; null where there is no such line. */
export const almostMarker = (answer: string): string | null =>
  linesOf(answer)
    .find((line) => /^\s*<{4,}\s*SEARCH\b/i.test(line) && !SEARCH.test(line))
    ?.slice(0, 80) ?? null;

/** Whether a line is one of a block's three markers. */
export const isBlockMarker = (line: string): boolean => SEARCH.test(line) || DIVIDER.test(line) || REPLACE.test(line);

/**
 * Applies blocks in order, each to the text that the one before left. SEARCH matches whole consecutive lines; white
 * space that ends a line does not count. Of several matches the first that may be edited is taken, in all methods, and
 * the block is reported as ambiguous. With `match: substring`, as CodeEvolve's code has it, SEARCH and REPLACE lose
 * their outer white space, and SEARCH may begin and end within a line.
 */
export const applyBlocks = (
  program: string,
  blocks: readonly (Block | BrokenBlock)[],
  { enforceBlock, strict, match }: Pick<DiffSettings, 'enforceBlock' | 'strict'> & Partial<Pick<DiffSettings, 'match'>>,
): Applied => {
  let lines: readonly string[] = linesOf(program);
  const apply = match === 'substring' ? applySubstring : applyBlock;
  const unmatched: Unmatched[] = [];
  const ambiguous: Ambiguous[] = [];
  for (const [index, block] of blocks.entries()) {
    const result =
      index >= MAX_BLOCKS
        ? `more than ${MAX_BLOCKS} blocks`
        : isWhole(block)
          ? apply(lines, block, enforceBlock)
          : block.broken;
    if (typeof result === 'string') unmatched.push({ block: index + 1, reason: result });
    else {
      lines = result.lines;
      if (result.places > 1)
        ambiguous.push({
          block: index + 1,
          reason: `ambiguous: ${result.places}${result.places === MAX_PLACES ? ' or more' : ''} places match, the first is taken`,
        });
    }
  }
  if (strict && unmatched.length > 0) return { code: linesOf(program).join('\n'), applied: 0, unmatched, ambiguous };
  return { code: lines.join('\n'), applied: blocks.length - unmatched.length, unmatched, ambiguous };
};

type Edited = { readonly lines: readonly string[]; readonly places: number };

/**
 * The edited lines and the number of places for which the block might have been meant, or the reason why there is no
 * edit.
 */
const applyBlock = (lines: readonly string[], { search, replace }: Block, enforceBlock: boolean): Edited | string => {
  const wanted = search.map((line) => line.trimEnd());
  if (wanted.every((line) => line === '')) return EMPTY;
  if (enforceBlock && [...search, ...replace].some(isMarker)) return MARKED;
  const open = enforceBlock ? openLines(lines) : null;
  const isOpen = (start: number): boolean => open === null || open.slice(start, start + wanted.length).every(Boolean);
  let outside = false;
  let first: number | null = null;
  let places = 0;
  for (const start of matches(lines, wanted)) {
    if (!isOpen(start)) {
      outside = true;
      continue;
    }
    first ??= start;
    if (++places === MAX_PLACES) break;
  }
  if (first !== null)
    return { lines: [...lines.slice(0, first), ...replace, ...lines.slice(first + wanted.length)], places };
  return outside ? OUTSIDE : whyNoMatch(lines, wanted);
};

/** Applies a block to any part of the text, both sides without their outer white space. */
const applySubstring = (
  lines: readonly string[],
  { search, replace }: Block,
  enforceBlock: boolean,
): Edited | string => {
  const wanted = search.join('\n').trim();
  if (wanted === '') return EMPTY;
  if (enforceBlock && [...search, ...replace].some(isMarker)) return MARKED;
  const text = lines.join('\n');
  const starts = occurrences(openParts(lines, enforceBlock ? openLines(lines) : null), wanted);
  const [first] = starts;
  if (first !== undefined)
    return {
      lines: `${text.slice(0, first)}${replace.join('\n').trim()}${text.slice(first + wanted.length)}`.split('\n'),
      places: starts.length,
    };
  return text.includes(wanted) ? OUTSIDE : 'no match: the program has no such text';
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
  for (const { at, text } of parts) {
    for (
      let start = text.indexOf(wanted);
      start >= 0 && starts.length < MAX_PLACES;
      start = text.indexOf(wanted, start + wanted.length)
    )
      starts.push(at + start);
  }
  return starts;
};

const EMPTY = 'empty SEARCH';
const MARKED = 'contains a marker: the EVOLVE-BLOCK lines stay as they are';
const OUTSIDE = 'outside the EVOLVE-BLOCK';

const whyNoMatch = (lines: readonly string[], wanted: readonly string[]): string => {
  const [near] = matches(
    lines.map((line) => line.trimStart()),
    wanted.map((line) => line.trimStart()),
  );
  return near === undefined
    ? 'no match: the program has no such lines'
    : `no match: line ${near + 1} of the program differs in indentation`;
};

const matches = function* (lines: readonly string[], wanted: readonly string[]): Generator<number> {
  const trimmed = lines.map((line) => line.trimEnd());
  for (let start = trimmed.indexOf(wanted[0]!); start >= 0; start = trimmed.indexOf(wanted[0]!, start + 1)) {
    if (wanted.every((line, index) => trimmed[start + index] === line)) yield start;
  }
};

/** Which lines may be edited: those between markers. Null, for all lines, when the program has no markers. */
const openLines = (lines: readonly string[]): readonly boolean[] | null => {
  if (!lines.some((line) => BLOCK_START.test(line))) return null;
  let inside = false;
  return lines.map((line) => {
    if (BLOCK_START.test(line)) {
      inside = true;
      return false;
    }
    if (BLOCK_END.test(line)) inside = false;
    return inside;
  });
};

const isMarker = (line: string): boolean => BLOCK_START.test(line) || BLOCK_END.test(line);

export const linesOf = (text: string): readonly string[] => text.replaceAll('\r\n', '\n').split('\n');
