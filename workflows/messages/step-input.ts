// What starts a step's workflow: given by its run.
import type { WindowLimits } from '../../activities/interface/step.ts';
import type { AllowanceBudget } from '../../evolution/budget/allowance.ts';

// How many programs travel in one evaluation activity, and how many such activities are under way: many and few when
// programs are quick, one each when a program may take long.
export type EvaluationBatching = { readonly size: number; readonly inFlight: number };

/** From the mean evaluation time (ms) of the last step; null before anything is known. */
export const evaluationBatching = (evaluationMs: number | null): EvaluationBatching => {
  if (evaluationMs === null) return { size: 4, inFlight: 32 };
  if (evaluationMs < 20) return { size: 16, inFlight: 2 };
  const size = Math.max(1, Math.min(16, Math.floor(2_000 / evaluationMs)));
  return { size, inFlight: size === 1 ? 256 : 32 };
};

export type StepInput = {
  readonly run: string;
  readonly step: number;
  /** The run's execution that this step belongs to. */
  readonly owner: string;
  readonly batching: EvaluationBatching;
  /** What the step may spend; null without limits on tokens and cost. */
  readonly budget: AllowanceBudget | null;
  /**
   * What the step, or a window of steps that begins with it, may come to. Left out, as by runs of earlier versions:
   * it is this step, in full.
   */
  readonly window?: WindowLimits;
};
