// Rewards of answers beside programs: an idea has that of its programs, a judgement one for being right.
import { FAILURE_CODE } from '../scoring/failures.ts';
import { meanOf } from '../statistics.ts';
import type { Outcome } from '../types.ts';

/** A program of a group, as far as it says what its group's idea and judgement were worth. */
export type Carried = {
  readonly outcome: Outcome;
  readonly reward: number;
  /** It is valid and better than its parent. */
  readonly isBetter: boolean;
  /** The verdict of a gate that is on; null without a judge. */
  readonly would: string | null;
};

/** Nobody could say anything of the idea: there was none, or the judge could not be asked. */
const UNKNOWN: readonly Outcome[] = ['idea_failed', 'rm_failed'];

/** The mean reward of the idea's programs; a rejected one has the code of that failure. Null where unknown. */
export const ideaReward = (programs: readonly Carried[]): number | null =>
  programs.some(({ outcome }) => outcome === 'rm_failed') ? null : meanOf(programs.map(({ reward }) => reward));

/**
 * 1 where the verdict agrees with the result (passed and better, or not and none better), else 0; the failure code
 * where it was unreadable. Null where the idea was rejected, so that nothing came.
 */
export const judgeReward = (programs: readonly Carried[]): number | null => {
  const [first] = programs;
  if (first === undefined || UNKNOWN.includes(first.outcome)) return null;
  if (first.outcome === 'unparsed' || first.would === 'unparsed') return FAILURE_CODE.unparsed;
  if (first.outcome === 'rejected' || first.would === null || first.would === 'rm_failed') return null;
  return (first.would === 'pass') === programs.some(({ isBetter }) => isBetter) ? 1 : 0;
};
