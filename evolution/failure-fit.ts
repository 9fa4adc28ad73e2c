// The fit of failures that `population.admitFailures` lets in. Called by insertion.ts and by selection by fit.
import type { Outcome } from './types.ts';

/** Below every valid program, whatever the sign of its score; worse failures lower. */
export const FAILURE_FIT: { readonly [outcome in Exclude<Outcome, 'valid'>]: number } = {
  rejected: -1.4e308, unparsed: -1.4e308, idea_failed: -1.4e308, rm_failed: -1.4e308, no_diff: -1.4e308, no_change: -1.3e308, duplicate: -1.3e308, no_solution: -1.2e308, invalid: -1.1e308,
};

export const isFailureFit = (fit: number): boolean => fit <= FAILURE_FIT.invalid;
