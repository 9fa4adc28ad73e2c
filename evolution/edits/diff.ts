// The answer in a response, and its SEARCH/REPLACE blocks (docs/methods/thetaevolve.md, From an answer to a child).
import type { DiffSettings } from '../config/run-config.ts';
import { TEXT_LIMITS } from './limits.ts';

/** Whole lines, without their ends. */
export type Block = { readonly search: readonly string[]; readonly replace: readonly string[] };
/** A SEARCH marker whose block is not whole, and what the block lacks. */
export type BrokenBlock = { readonly broken: string };
/** A block that does not apply. Blocks are numbered from 1, as they stand in the answer. */
export type Unmatched = { readonly block: number; readonly reason: string };
/** A block that applies, and might have been meant for another place as well. */
export type Ambiguous = { readonly block: number; readonly reason: string };
const SEARCH = /^<<<<<<< SEARCH\s*$/;
const DIVIDER = /^=======\s*$/;
const REPLACE = /^>>>>>>> REPLACE\s*$/;

/** The text after the last `</think>`; empty where a reasoning block is still open. */
export const readAnswer = (text: string, parse: DiffSettings['parse']): string => {
  if (parse === 'whole') return text;
  const closed = text.lastIndexOf('</think>');
  const rest = closed < 0 ? text : text.slice(closed + '</think>'.length);
  return rest.includes('<think>') ? '' : rest;
};

/** The complete blocks: not cut off, and with no SEARCH before their REPLACE marker. */
export const parseBlocks = (answer: string): readonly Block[] => readBlocks(answer).filter(isWhole);

/** The blocks in their order, each broken one in its place. What follows the last block that is read counts as one. */
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
      if (blocks.length >= TEXT_LIMITS.blocks)
        return [...blocks, { broken: `more than ${TEXT_LIMITS.blocks} blocks: the rest is not read` }];
      search = [];
    } else if (search === null) continue;
    else if (replace === null && DIVIDER.test(line)) replace = [];
    else if (!REPLACE.test(line)) (replace ?? search).push(line);
    else if (replace === null) breakOff('between SEARCH and REPLACE');
    else {
      blocks.push(whole(search, replace));
      search = null;
      replace = null;
    }
  }
  breakOff('up to the end of the answer');
  return blocks;
};

const whole = (search: readonly string[], replace: readonly string[]): Block | BrokenBlock =>
  Math.max(search.length, replace.length) <= TEXT_LIMITS.blockLines
    ? { search, replace }
    : { broken: `one side has more than ${TEXT_LIMITS.blockLines} lines` };

export const isWhole = (block: Block | BrokenBlock): block is Block => !('broken' in block);

/** The first line that looks like a SEARCH marker but is not one; null where there is no such line. */
export const almostMarker = (answer: string): string | null =>
  linesOf(answer)
    .find((line) => /^\s*<{4,}\s*SEARCH\b/i.test(line) && !SEARCH.test(line))
    ?.slice(0, 80) ?? null;

/** True for one of a block's three markers. */
export const isBlockMarker = (line: string): boolean => SEARCH.test(line) || DIVIDER.test(line) || REPLACE.test(line);

export const linesOf = (text: string): readonly string[] => text.replaceAll('\r\n', '\n').split('\n');
