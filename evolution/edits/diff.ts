// The answer in a response, and its SEARCH/REPLACE blocks (docs/methods/thetaevolve.md, From an answer to a child).
import type { DiffSettings } from '../config/run-config.ts';
import { headedBy } from '../files/program-files.ts';
import { TEXT_LIMITS } from './limits.ts';
import { isAlmostMarker, isBlockMarker } from './markers.ts';
import { afterReasoning } from './reasoning.ts';

/** Whole lines, without their ends. */
export type Block = { readonly search: readonly string[]; readonly replace: readonly string[] };
/** A SEARCH marker whose block is not whole, and what the block lacks. */
export type BrokenBlock = { readonly broken: string };
/** A block that does not apply. Blocks are numbered from 1, as they stand in the answer. */
export type Unmatched = { readonly block: number; readonly reason: string };
/** A block that applies, and might have been meant for another place as well. */
export type Ambiguous = { readonly block: number; readonly reason: string };

/** The text after the reasoning; empty where the reasoning is still open, or nobody can know where it ends. */
export const readAnswer = (text: string, parse: DiffSettings['parse']): string =>
  parse === 'whole' ? text : (afterReasoning(text) ?? '');

/** The complete blocks: not cut off, and with no SEARCH before their REPLACE marker. */
export const parseBlocks = (answer: string): readonly Block[] => readBlocks(answer).filter(isWhole);

/**
 * The blocks in their order, each broken one in its place. What follows the last block that is read counts as one. A
 * block that could be read in two ways is broken.
 */
export const readBlocks = (answer: string): readonly (Block | BrokenBlock)[] => {
  const reader = new BlockReader();
  for (const [index, line] of linesOf(answer).entries()) if (!reader.read(line, index + 1)) break;
  return reader.end();
};

class BlockReader {
  readonly #blocks: (Block | BrokenBlock)[] = [];
  #search: string[] | null = null;
  #replace: string[] | null = null;
  /** What makes the open block doubtful. */
  #doubt: string | null = null;
  /** The line above the blocks that names their file (files/program-files.ts). */
  #head: string | null = null;

  /** False where nothing further is read. */
  read(line: string, number: number): boolean {
    if (isBlockMarker(line, 'SEARCH')) {
      this.#breakOff('before the next SEARCH');
      if (this.#blocks.length >= TEXT_LIMITS.blocks) {
        this.#blocks.push({ broken: `more than ${TEXT_LIMITS.blocks} blocks: the rest is not read` });
        return false;
      }
      this.#search = [];
    } else if (this.#search === null) this.#outside(line, number);
    else if (isBlockMarker(line, 'REPLACE')) this.#close();
    else {
      if (isBlockMarker(line, 'DIVIDER')) {
        if (this.#replace === null) {
          this.#replace = [];
          return true;
        }
        this.#doubt ??= `marker broken: line ${number} of the answer is a second divider =======, so the block can be read in two ways`;
      } else if (isAlmostMarker(line))
        this.#doubt ??= `marker broken: line ${number} of the answer is almost a marker: ${JSON.stringify(line.slice(0, 80))}`;
      (this.#replace ?? this.#search).push(line);
    }
    return true;
  }

  end(): readonly (Block | BrokenBlock)[] {
    this.#breakOff('up to the end of the answer');
    return this.#blocks;
  }

  /** A second end makes the block before it doubtful, and what is almost a beginning is a block that is not read. */
  #outside(line: string, number: number): void {
    if (headedBy(line) !== null) this.#head = line;
    const last = this.#blocks.length - 1;
    if (/search/i.test(line) && isAlmostMarker(line) && this.#blocks.length < TEXT_LIMITS.blocks)
      this.#blocks.push({ broken: expectedBegin(line) });
    else if (last >= 0 && isBlockMarker(line, 'REPLACE') && isWhole(this.#blocks[last]!))
      this.#blocks[last] = {
        broken: `marker broken: line ${number} of the answer is a second >>>>>>> REPLACE, so the block can be read in two ways`,
      };
  }

  #close(): void {
    if (this.#replace === null) return this.#breakOff('between SEARCH and REPLACE');
    const named = this.#head === null || headedBy(this.#search![0]) !== null ? [] : [this.#head];
    this.#blocks.push(
      this.#doubt === null
        ? whole([...named, ...this.#search!], [...named, ...this.#replace])
        : { broken: this.#doubt },
    );
    this.#reset();
  }

  #breakOff(where: string): void {
    if (this.#search !== null)
      this.#blocks.push({
        broken:
          this.#doubt ?? `marker broken: no line ${this.#replace === null ? '=======' : '>>>>>>> REPLACE'} ${where}`,
      });
    this.#reset();
  }

  #reset(): void {
    this.#search = null;
    this.#replace = null;
    this.#doubt = null;
  }
}

const whole = (search: readonly string[], replace: readonly string[]): Block | BrokenBlock =>
  Math.max(search.length, replace.length) <= TEXT_LIMITS.blockLines
    ? { search, replace }
    : { broken: `one side has more than ${TEXT_LIMITS.blockLines} lines` };

export const isWhole = (block: Block | BrokenBlock): block is Block => !('broken' in block);

const expectedBegin = (line: string): string =>
  `marker broken: expected the marker <<<<<<< SEARCH alone on its line from the first column, got ${JSON.stringify(line.slice(0, 80))}`;

/** What is said of the first line that looks like a marker, or ends a block that never began; null where none does. */
export const almostMarker = (answer: string): string | null => {
  const line = linesOf(answer).find((one) => isAlmostMarker(one) || isBlockMarker(one, 'REPLACE'));
  return line === undefined ? null : expectedBegin(line);
};

export const linesOf = (text: string): readonly string[] => text.replaceAll('\r\n', '\n').split('\n');
