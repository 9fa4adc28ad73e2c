// What starts a step's workflow: given by its run.
import type { WindowLimits } from '../activities/interface.ts';
import type { AllowanceBudget } from '../evolution/allowance.ts';
import type { EvaluationBatching } from './batching.ts';

export type StepInput = {
  readonly run: string;
  readonly step: number;
  /** The run's execution that this step belongs to. */
  readonly owner: string;
  readonly batching: EvaluationBatching;
  /** What the step may spend; null without limits on tokens and cost. */
  readonly budget: AllowanceBudget | null;
  /** What a window of steps may come to. Left out, as by runs of earlier versions: it is this step. */
  readonly window?: WindowLimits;
};
