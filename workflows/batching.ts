// How many programs travel in one evaluation activity: many when they are quick, one when each may take long.

/** Mean evaluation time (ms) of the last step -> programs per activity, between 1 and 16; 4 before anything is known. */
export const perEvaluationActivity = (evaluationMs: number | null): number =>
  evaluationMs === null ? 4 : Math.max(1, Math.min(16, Math.floor(2_000 / Math.max(1, evaluationMs))));
