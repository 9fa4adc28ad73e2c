// What a step's activities take and give, as workflows see it: one object in, one small object out. Ids, counts and scores only;
// content is in the store.
import type { Paid } from '../../evolution/budget/money.ts';
import type { RunId, Stage } from '../../evolution/types.ts';
import type { BestProgram, RunTotals } from '../store/documents.ts';

/** `version`: of the settings that the step goes by. */
export type StepRef = { readonly run: RunId; readonly step: number; readonly epoch: number; readonly version: number };

export type StepPlan = {
  readonly generation: number;
  readonly epoch: number;
  readonly version: number;
  /** Injected programs: they take the slots after the model's. */
  readonly injected: number;
  /** Slots to evaluate that need no response: the initial program, injected ones. */
  readonly evaluate: readonly number[];
  /** Groups of the batch; 0 for step 0, which only evaluates the initial program. */
  readonly groups: number;
  /** Responses per group. */
  readonly responses: number;
  /**
   * Responses of the step, where a limit on programs leaves fewer than groups * responses: the first groups in full,
   * the next in part, others not at all. Left out: all.
   */
  readonly programs?: number;
  /** Responses asked for by one model request. */
  readonly perRequest: number;
  /**
   * Whether programs are embedded before they are evaluated (`embedding.model`). Left out, as by steps planned before
   * there were embeddings: no.
   */
  readonly embeds?: boolean;
  /** Set when this step was committed before (a retry after the commit): nothing is left to do. */
  readonly done: StepSummary | null;
  /** Groups that are asked for something before their programs. Left out: none. */
  readonly preludes?: readonly { readonly group: number; readonly stage: Stage }[];
  /** Step 0: the initial idea is to be judged. Left out: no. */
  readonly judgesIdea?: true;
  /**
   * Each island goes on alone up to step `last`. Left out: the step ends for all islands at once. `homes`: the islands
   * of the programs in `evaluate`.
   */
  readonly window?: { readonly last: number; readonly islands: number; readonly homes?: readonly number[] };
};

/** A slot whose missing delta could not be asked for, and why. */
export type Unrepaired = { readonly slot: number; readonly reason: string };
/** What the commit of an island's step will be told, beside what is stored. */
export type Told = {
  readonly step: number;
  readonly injected: number;
  readonly unrepaired: readonly Unrepaired[];
};
/** In a window: the island whose step this is. `told`: of its steps before, where there is something to tell. */
export type IslandAhead = { readonly generation: number; readonly island: number; readonly told?: readonly Told[] };
/** A step of an island within a window, whose other islands may be at other steps. */
export type IslandRef = StepRef & IslandAhead;
/** The groups that an island has in a step, and those of them that are asked for something before their programs. */
export type IslandPlan = {
  readonly groups: readonly number[];
  readonly preludes: readonly { readonly group: number; readonly stage: Stage }[];
};

/** What a step or a window of steps may come to before a limit of the run is reached; null: no limit. */
export type WindowLimits = { readonly steps: number | null; readonly programs: number | null };

export type Generated = {
  /** Slots whose responses are stored now. */
  readonly stored: readonly number[];
  /** Slots that the endpoint left out because it has no native n: to be asked for one by one. */
  readonly missing: readonly number[];
  /** What the stored responses cost, in and out together. */
  readonly tokens: number;
  readonly costUsd: number;
};

export type Applied = {
  /** Slots to evaluate, each distinct program once. */
  readonly evaluate: readonly number[];
  /** Responses that ended in the early checks. */
  readonly early: number;
  /** Slots of programs whose delta is to be asked for once more. Left out: none. */
  readonly repair?: readonly number[];
};

/** The stage that comes next; null: the programs. `refused`: the group ends here, its slots have their outcome. */
export type Advanced = { readonly next: Stage | null; readonly refused: boolean };

export type Embedded = {
  /** Of the slots asked for, those to evaluate: no near-duplicate of a program that was alive at the step's start. */
  readonly evaluate: readonly number[];
  /** What their embeddings cost, whoever paid for them. */
  readonly tokens: number;
  readonly costUsd: number;
};

export type StepSummary = {
  readonly step: number;
  readonly generation: number;
  /** Sums over all committed steps of the run, this one included. */
  readonly totals: RunTotals;
  readonly best: BestProgram | null;
  readonly paid: Paid;
  readonly populationSize: number;
  /** The run has passed the best by human hands, and is to end there (`ideation.stopAtHuman`). */
  readonly beatsHuman?: true;
  /** Mean wall milliseconds of this step's evaluations; null when there were none, or when it is not known any more. */
  readonly evaluationMs: number | null;
};

export interface ModelActivities {
  /**
   * Asks what a stage of a group asks, or (`repair`) for the delta that the response of a slot left out, once: a
   * stored answer is never asked for again.
   */
  ask(
    input: StepRef &
      (
        | { readonly group: number; readonly stage: Stage }
        | { readonly group: number; readonly stage: 'repair'; readonly slot: number }
      ),
  ): Promise<{ readonly tokens: number; readonly costUsd: number }>;
  /** Asks the model for responses first..first+count-1 of a group; stored ones are not asked for again. */
  generate(
    input: StepRef & {
      readonly group: number;
      readonly first: number;
      readonly count: number;
      readonly responses: number;
    },
  ): Promise<Generated>;
  /**
   * Embeds the programs in these slots and compares them with the population; stored embeddings are not asked for
   * again.
   */
  embed(input: StepRef & { readonly slots: readonly number[]; readonly ahead?: IslandAhead }): Promise<Embedded>;
}

/** A program on hidden instances; `score` is null unless it was valid there. */
export type OnHidden = { readonly program: string; readonly outcome: string; readonly score: number | null };

export interface EvaluationActivities {
  /** Evaluates the programs in these slots, each in a container of its own. */
  evaluate(input: StepRef & { readonly slots: readonly number[] }): Promise<{ readonly evaluated: number }>;
  /**
   * Evaluates a committed program of the run on the hidden instances of its task; a stored result is not computed
   * again.
   */
  evaluateHidden(input: { readonly run: RunId; readonly program: string }): Promise<OnHidden>;
}
