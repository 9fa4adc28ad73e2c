// In one word, what a change did to the score (DeltaEvolve, section 2, Label). Called at commit; stored with the program.

export type ChangeLabel = 'improved' | 'degraded' | 'unchanged' | 'failed';

/** Both are the ranking score, always maximised; null: the evaluation failed. A valid child of a failed parent is `improved`. */
export const changeLabel = ({ fit, parentFit }: { readonly fit: number | null; readonly parentFit: number | null }): ChangeLabel => {
  if (fit === null) return 'failed';
  if (parentFit === null || fit > parentFit) return 'improved';
  return fit < parentFit ? 'degraded' : 'unchanged';
};
