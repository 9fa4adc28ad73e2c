// GET runs/<run>/policies: the versions of the model that a run has learned.
import type { PolicyLine } from '../../../client/learning/policies.ts';

export type { PolicyLine };

export type Policies = {
  /** From the start to the one that the run has now. */
  readonly chain: readonly PolicyLine[];
  /** Policies that a rewind left behind. */
  readonly behind: readonly PolicyLine[];
};

/**
 * A start is trained on nothing, and only a policy gradient clips: what does not apply is left out of a line. So is the
 * loss of training on texts, which is of another kind and so much larger that nothing else would be seen beside it.
 */
export const policyLine = (
  chain: readonly PolicyLine[],
  of: 'reward' | 'best' | 'loss' | 'clipFraction' | 'isClipFraction' | 'mismatch' | 'gradNorm' | 'seconds',
): readonly (number | null)[] =>
  chain.map((row) => {
    if (of === 'reward') return row.reward.mean;
    if (of === 'best') return row.reward.max;
    if (row.kind === 'start') return null;
    return row.kind === 'policy' || of === 'gradNorm' || of === 'seconds' ? row[of] : null;
  });
