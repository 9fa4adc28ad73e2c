// How many programs travel in one evaluation activity, and how many such activities are under way: many and few when programs
// are quick, one each when a program may take long.

export type EvaluationBatching = { readonly size: number; readonly inFlight: number };

/** From the mean evaluation time (ms) of the last step; null before anything is known. */
export const evaluationBatching = (evaluationMs: number | null): EvaluationBatching => {
  if (evaluationMs === null) return { size: 4, inFlight: 32 };
  if (evaluationMs < 20) return { size: 16, inFlight: 2 };
  const size = Math.max(1, Math.min(16, Math.floor(2_000 / evaluationMs)));
  return { size, inFlight: size === 1 ? 256 : 32 };
};
