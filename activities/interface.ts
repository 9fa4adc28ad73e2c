// The activities as workflows see them: one object in, one small object out. Ids, counts and scores only; content is in the store.
import type { Limits, RunConfig } from '../evolution/config/run-config.ts';
import type { RunId } from '../evolution/types.ts';
import type { BestProgram, RunStatus, RunTotals } from './store/documents.ts';

/** What the run loop needs to know about a run; small, because it travels through continue-as-new. */
export type RunBrief = {
  readonly run: RunId;
  readonly task: string;
  readonly method: string;
  readonly direction: 'maximise' | 'minimise';
  readonly model: string;
  readonly seed: number;
  readonly batch: number;
  readonly responses: number;
  readonly limits: Limits;
  readonly committedStep: number;
  readonly totals: RunTotals;
  readonly best: BestProgram | null;
  /** Milliseconds since the epoch at which the run was created: wall clock limits count from here. */
  readonly createdAtMs: number;
};

export type StepRef = { readonly run: RunId; readonly step: number; readonly epoch: number };

export type StepPlan = {
  readonly generation: number;
  /** Groups of the batch; 0 for step 0, which only evaluates the initial program. */
  readonly groups: number;
  /** Responses per group. */
  readonly responses: number;
  /** Responses asked for by one model request. */
  readonly perRequest: number;
  /** Set when this step was committed before (a retry after the commit): nothing is left to do. */
  readonly done: StepSummary | null;
};

export type Generated = {
  /** Slots whose responses are stored now. */
  readonly stored: readonly number[];
  /** Slots that the endpoint left out because it has no native n: to be asked for one by one. */
  readonly missing: readonly number[];
};

export type Applied = {
  /** Slots to evaluate, each distinct program once. */
  readonly evaluate: readonly number[];
  /** Responses that ended in the early checks. */
  readonly early: number;
};

export type StepSummary = {
  readonly step: number;
  readonly generation: number;
  /** Sums over all committed steps of the run, this one included. */
  readonly totals: RunTotals;
  readonly best: BestProgram | null;
  readonly populationSize: number;
  /** Mean wall milliseconds of this step's evaluations; null when there were none, or when it is not known any more. */
  readonly evaluationMs: number | null;
};

export interface StoreActivities {
  /** Creates the run document, or reads it when it is there. Bad settings fail with type ConfigError. */
  openRun(input: { readonly run: RunId; readonly config?: RunConfig | undefined }): Promise<RunBrief>;
  /** Writes new limits as a new version of the settings and returns them. */
  changeLimits(input: { readonly run: RunId; readonly limits: Partial<Limits> }): Promise<Limits>;
  markRun(input: { readonly run: RunId; readonly status: RunStatus; readonly reason?: string | null; readonly stopReason?: string | null }): Promise<void>;
  /** Opens the step (fence), draws B parents and writes their prompts. */
  planStep(input: StepRef & { readonly owner: string }): Promise<StepPlan>;
  /** Parses responses, applies their edits and runs the early checks. */
  applyResponses(input: StepRef & { readonly slots: readonly number[] }): Promise<Applied>;
  /** Inserts the step's children, migrates when due and moves the commit point. */
  commitStep(input: StepRef & { readonly generation: number }): Promise<StepSummary>;
}

export interface ModelActivities {
  /** Asks the model for responses first..first+count-1 of a group; stored ones are not asked for again. */
  generate(input: StepRef & { readonly group: number; readonly first: number; readonly count: number; readonly responses: number }): Promise<Generated>;
}

export interface EvaluationActivities {
  /** Evaluates the programs in these slots, each in a container of its own. */
  evaluate(input: StepRef & { readonly slots: readonly number[] }): Promise<{ readonly evaluated: number }>;
}
