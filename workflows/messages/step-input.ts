// With this input a run starts the workflow of a step.
import type { Links } from '../../activities/interface/run.ts';
import type { AnsweredCall, StepRef, WindowLimits } from '../../activities/interface/step.ts';
import type { AllowanceBudget } from '../../evolution/budget/allowance.ts';
import type { Internal } from '../engine/form.ts';

/**
 * The number of programs in one evaluation activity, and of such activities under way: many programs and
 * few activities when programs are quick, and one program each when they may take long.
 */
export type EvaluationBatching = { readonly size: number; readonly inFlight: number };

/** Derived from the mean evaluation time (ms) of the last step; null before anything is known. */
export const evaluationBatching = (evaluationMs: number | null): EvaluationBatching => {
  if (evaluationMs === null) return { size: 4, inFlight: 32 };
  // An activity takes at most some 0.6 s, and costs the engine and its workers more than many programs of this kind.
  if (evaluationMs < 20) return { size: 32, inFlight: 2 };
  const size = Math.max(1, Math.min(16, Math.floor(2_000 / evaluationMs)));
  return { size, inFlight: size === 1 ? 256 : 32 };
};

export type EvaluatorCall = Internal<StepRef & AnsweredCall & { readonly group: number }>;

export type StepInput = Internal<{
  readonly run: string;
  readonly step: number;
  /** The run's execution to which this step belongs. */
  readonly owner: string;
  readonly batching: EvaluationBatching;
  /** The tokens and the money that the step may spend; null without limits on them. */
  readonly budget: AllowanceBudget | null;
  /**
   * The limits of the step, or of a window of steps that begins with it. Null where the step goes on with the window of
   * a stream, which knows its limits.
   */
  readonly window: WindowLimits | null;
  /** The window of a stream that the step goes on with, by the step in whose name it is; null where it begins. */
  readonly continues: number | null;
  readonly links?: Links;
}>;
