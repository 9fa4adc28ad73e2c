// The early checks: what a response amounts to before anything is run (ThetaEvolve, section 2). The caller looks up duplicates by hash.
import type { DiffSettings } from './config/run-config.ts';
import { applyBlocks, parseBlocks, readAnswer, type Unmatched } from './diff.ts';
import { readSource } from './equivalence.ts';
import { FAILURE_SCORE } from './failure-score.ts';
import type { Outcome } from './types.ts';

export { FAILURE_SCORE };

export type EarlyResult = {
  /** Null: nothing is wrong so far; look for duplicates, then evaluate. */
  readonly outcome: Extract<Outcome, 'no_diff' | 'no_change' | 'no_solution'> | null;
  readonly reason: string | null;
  /** The child; null when the answer held no block. */
  readonly code: string | null;
  /** Canonical text to be hashed (equivalence.ts). */
  readonly norm: string | null;
  /** Code length in characters. */
  readonly length: number;
  readonly blocks: number;
  readonly unmatched: readonly Unmatched[];
};

export type ResponseToParent = {
  readonly response: string;
  readonly parentCode: string;
  /** `normalise(parentCode)`: siblings share it. */
  readonly parentNorm: string;
  readonly settings: DiffSettings;
};

/** The first check that hits decides. */
export const applyResponse = ({ response, parentCode, parentNorm, settings }: ResponseToParent): EarlyResult => {
  const answer = readAnswer(response, settings.parse);
  const blocks = parseBlocks(answer);
  if (blocks.length === 0) return { outcome: 'no_diff', reason: whyNoBlock(response, answer), code: null, norm: null, length: 0, blocks: 0, unmatched: [] };

  const { code, applied, unmatched } = applyBlocks(parentCode, blocks, settings);
  const child = { code, length: code.length, blocks: blocks.length, unmatched };
  if (applied === 0) return { ...child, norm: parentNorm, outcome: 'no_change', reason: whyNothingApplied(unmatched, blocks.length, settings.strict) };

  const { norm, error } = readSource(code);
  if (norm === parentNorm) return { ...child, norm, outcome: 'no_change', reason: 'the child equals its parent but for comments, spacing and docstrings' };
  if (code.length > settings.maxCodeChars) {
    return { ...child, norm, outcome: 'no_solution', reason: `${code.length} characters, expected at most ${settings.maxCodeChars} (diff.maxCodeChars)` };
  }
  if (error !== null) return { ...child, norm, outcome: 'no_solution', reason: `does not compile: ${error}` };
  return { ...child, norm, outcome: null, reason: null };
};

const whyNoBlock = (response: string, answer: string): string => {
  if (response.trim() === '') return 'the response is empty';
  if (answer.trim() === '') return 'there is no answer after the reasoning, or the reasoning is not closed';
  return 'no SEARCH/REPLACE block in the answer';
};

const whyNothingApplied = (unmatched: readonly Unmatched[], blocks: number, strict: boolean): string => {
  const [first] = unmatched;
  const all = unmatched.length === blocks ? `none of ${blocks} blocks applies` : `${unmatched.length} of ${blocks} blocks do not apply`;
  return `${all}${strict && unmatched.length < blocks ? ' and diff.strict rejects the rest' : ''}; block ${first?.block}: ${first?.reason}`;
};
