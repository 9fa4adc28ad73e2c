// The outcome of a round, which is a slot of a step (AlphaResearch Figure 5; docs/methods/alpharesearch.md).
import type { ExecutionKind, Outcome } from '../types.ts';

export const ROUND_OUTCOMES = [
  'rejected',
  'unparsed',
  'idea_failed',
  'rm_failed',
  'patch_failed',
  'too_long',
  'evaluated',
  'evaluation_failed',
  'timeout',
] as const;
export type RoundOutcome = (typeof ROUND_OUTCOMES)[number];

/** Outcomes of an idea that was not carried out: all programs of its group have this one. */
export const REFUSALS = ['rejected', 'unparsed', 'idea_failed', 'rm_failed'] as const;
export const REFUSED: ReadonlySet<Outcome> = new Set(REFUSALS);
/** What became of an idea, which may have several programs. */
export type IdeaOutcome = 'carried' | (typeof REFUSALS)[number];

/** `scrapped`: the idea was not carried out. */
export type Rollup = 'scrapped' | 'success' | 'failure';

export const rollupOf = (outcome: RoundOutcome): Rollup => {
  switch (outcome) {
    case 'rejected':
    case 'unparsed':
      return 'scrapped';
    case 'evaluated':
      return 'success';
    case 'idea_failed':
    case 'rm_failed':
    case 'patch_failed':
    case 'too_long':
    case 'evaluation_failed':
    case 'timeout':
      return 'failure';
  }
};

type Carried = {
  readonly outcome: Outcome;
  /** The length of the child and its limit, in characters. */
  readonly length: number;
  readonly maxCodeChars: number;
  /** Null where nothing was run. */
  readonly execution: ExecutionKind | null;
};

/**
 * The outcome of a round that was carried out. A child that equals its parent or an earlier program is a failed patch.
 */
export const carriedOutcome = ({ outcome, length, maxCodeChars, execution }: Carried): RoundOutcome => {
  switch (outcome) {
    case 'rejected':
    case 'unparsed':
    case 'idea_failed':
    case 'rm_failed':
      return outcome;
    case 'no_diff':
    case 'no_change':
    case 'duplicate':
      return 'patch_failed';
    case 'no_solution':
    case 'invalid':
      if (execution === 'timeout_cpu' || execution === 'timeout_wall') return 'timeout';
      return execution === null && length > maxCodeChars ? 'too_long' : 'evaluation_failed';
    case 'valid':
      return 'evaluated';
  }
};
