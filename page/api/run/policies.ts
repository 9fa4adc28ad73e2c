// GET runs/<run>/policies: the versions of the model that a run has learned.
import type { PolicyDocument } from '../../../activities/store/documents/learning-documents.ts';

export type PolicyRow = Pick<PolicyDocument, 'version' | 'kind' | 'step' | 'reward' | 'zeroVariance' | 'costUsd'> &
  Pick<
    PolicyDocument['result'],
    ('loss' | 'gradNorm' | 'clipFraction' | 'isClipFraction' | 'mismatch') | ('used' | 'dropped' | 'tokens' | 'seconds')
  > & { readonly servedAt: string };
export type Policies = {
  /** From the start to the one that the run has now. */
  readonly chain: readonly PolicyRow[];
  /** Policies that a rewind left behind. */
  readonly behind: readonly PolicyRow[];
};

/**
 * A start is trained on nothing, and only a policy gradient clips: what does not apply is left out of a line. So is the
 * loss of training on texts, which is of another kind and so much larger that nothing else would be seen beside it.
 */
export const policyLine = (
  chain: readonly PolicyRow[],
  of: 'reward' | 'best' | 'loss' | 'clipFraction' | 'isClipFraction' | 'mismatch' | 'gradNorm' | 'seconds',
): readonly (number | null)[] =>
  chain.map((row) => {
    if (of === 'reward') return row.reward?.mean ?? null;
    if (of === 'best') return row.reward?.max ?? null;
    if (row.kind === 'start') return null;
    return row.kind === 'policy' || of === 'gradNorm' || of === 'seconds' ? row[of] : null;
  });
