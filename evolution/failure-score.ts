// The code that stands for a failed response (ThetaEvolve, section 2, Early checks). A code, not a score: a failure never outranks a valid program.
import type { Outcome } from './types.ts';

export const FAILURE_SCORE: { readonly [outcome in Exclude<Outcome, 'valid'>]: number } = {
  rejected: -0.4,
  unparsed: -0.4,
  idea_failed: -0.4,
  rm_failed: -0.4,
  no_diff: -0.4,
  no_change: -0.3,
  duplicate: -0.3,
  no_solution: -0.2,
  invalid: -0.1,
};
