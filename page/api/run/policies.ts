// GET runs/<run>/policies: the versions of the model that a run has learned.
export type PolicyRow = {
  readonly policy: string;
  readonly version: number;
  readonly kind: 'start' | 'supervised' | 'policy';
  readonly run: string;
  /** The step whose programs it was trained on. */
  readonly step: number;
  readonly reward: { readonly mean: number; readonly max: number } | null;
  readonly loss: number;
  readonly gradNorm: number;
  readonly clipFraction: number;
  readonly isClipFraction: number;
  readonly mismatch: number;
  readonly used: number;
  readonly dropped: number;
  readonly zeroVariance: number;
  readonly tokens: number;
  readonly seconds: number;
  readonly costUsd: number;
  readonly trainer: string;
  readonly servedAt: string;
};
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
