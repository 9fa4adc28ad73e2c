// Two numbers of a failure, apart from each other: its code as a reward, and its fit for `population.admitFailures`.
import type { Outcome } from '../types.ts';

/**
 * The code of a failed response (ThetaEvolve Eq. 1), stored as its reward. It is no score: a failure never outranks a
 * valid program. docs/methods/thetaevolve.md lists the codes; a test compares the two.
 */
export const FAILURE_CODE: { readonly [outcome in Exclude<Outcome, 'valid'>]: number } = {
  // Of AlphaResearch's judge: the idea's score is too low, there is no score that can be read, no idea, no judge.
  rejected: -0.4,
  unparsed: -0.4,
  idea_failed: -0.4,
  rm_failed: -0.4,
  // Of the answer: no SEARCH/REPLACE block can be read in it.
  no_diff: -0.4,
  no_change: -0.3,
  duplicate: -0.3,
  no_solution: -0.2,
  invalid: -0.1,
};

/** The fit lies below that of every valid program, whatever the sign of its score; worse failures are lower. */
export const FAILURE_FIT: { readonly [outcome in Exclude<Outcome, 'valid'>]: number } = {
  rejected: -1.4e308,
  unparsed: -1.4e308,
  idea_failed: -1.4e308,
  rm_failed: -1.4e308,
  no_diff: -1.4e308,
  no_change: -1.3e308,
  duplicate: -1.3e308,
  no_solution: -1.2e308,
  invalid: -1.1e308,
};

export const isFailureFit = (fit: number): boolean => fit <= FAILURE_FIT.invalid;
