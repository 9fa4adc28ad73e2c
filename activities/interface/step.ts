// The activities of a step, as the workflows see them. Workflow history holds only ids, counts and scores; all content
// is in the store.
import type { Paid } from '../../evolution/budget/money.ts';
import type { AnsweredStage, Stage } from '../../evolution/stages.ts';
import type { RunId } from '../../evolution/types.ts';
import type { RunLimits } from '../../evolution/config/run-config.ts';
import type { LearningBrief } from './learning.ts';
import type { BestProgram, RunTotals } from '../store/documents/documents.ts';

/** `version` is that of the settings that the step uses. */
export type StepRef = { readonly run: RunId; readonly step: number; readonly epoch: number; readonly version: number };

export type StepPlan = {
  readonly generation: number;
  readonly epoch: number;
  readonly version: number;
  /** Number of injected programs. They take the slots after the model's. */
  readonly injected: number;
  /** Slots to evaluate that need no response: those of the initial program and of injected ones. */
  readonly evaluate: readonly number[];
  /** Number of groups; 0 for step 0, which only evaluates the initial program. */
  readonly groups: number;
  readonly responses: number;
  /**
   * Number of responses in the step, where a limit on programs leaves fewer than groups * responses: the first groups
   * have all theirs, the next has some, and the others have none. Left out means all.
   */
  readonly programs?: number;
  /** Number of responses that one model request asks for. */
  readonly perRequest: number;
  /** The most programs that are evaluated at once (`evaluation.parallel`). Left out: as many as hosts take. */
  readonly parallel?: number;
  /** Programs are embedded before they are evaluated (`embedding.model`). Left out means that they are not. */
  readonly embeds?: boolean;
  /**
   * Its requests go many to an activity (`generateBatch`), as those of a stream always do. Left out where they are few.
   */
  readonly batched?: true;
  /** The queue of its evaluations. Left out means that of all hosts. */
  readonly queue?: string;
  /** Set when this step was committed by an earlier attempt, so that nothing is left to do. */
  readonly done: StepSummary | null;
  /** Groups that have a stage before their programs. Left out means none. */
  readonly preludes?: readonly { readonly group: number; readonly stage: Stage }[];
  /** In step 0: the initial idea is to be judged. Left out means no. */
  readonly judgesIdea?: true;
  /**
   * Each island goes on alone up to step `last`; without `islands`, whole steps overlap up to there. When left out, the
   * next step begins after this one is committed. `homes` are the islands of the programs in `evaluate`.
   */
  readonly window?: { readonly last: number; readonly islands?: number; readonly homes?: readonly number[] };
  /** The step is the first of a stream, or goes on with one. Left out where there is none. */
  readonly stream?: StreamPlan;
};

/** The place of a stream (evolution/schedule/stream.ts) when a workflow begins to conduct it. */
export type StreamPlan = {
  /** The step in whose name its ids are. */
  readonly first: number;
  /** Groups that are planned and not committed, in order. They may have been asked before. */
  readonly pending: readonly number[];
  /** The next group to plan. */
  readonly planned: number;
  /** Groups that make a step, and programs that are asked for at once. */
  readonly batch: number;
  readonly inFlight: number;
  /** The last step that may be committed here. Null means that no step is known to be the last. */
  readonly last: number | null;
  /** The groups that are planned were so under settings that have been replaced, so that no further ones are. */
  readonly closed?: true;
  /** A turn commits at most so many steps. */
  readonly steps: number;
  /** A window asks for the next one after so many programs. */
  readonly window: number;
};

/** A slot whose missing delta could not be asked for, and why. */
export type Unrepaired = { readonly slot: number; readonly reason: string };
/** Facts that the commit of an island's step needs and that are not stored. */
export type Told = {
  readonly step: number;
  readonly injected: number;
  readonly unrepaired: readonly Unrepaired[];
};
/** The island of this step within a window. `told` is about its earlier steps, where there is something to tell. */
export type IslandAhead = { readonly generation: number; readonly island: number; readonly told?: readonly Told[] };
/** A step of an island within a window, whose other islands may be at other steps. */
export type IslandRef = StepRef & IslandAhead;
/** The groups that an island has in a step, and those of them that have a stage before their programs. */
export type IslandPlan = {
  readonly groups: readonly number[];
  readonly preludes: readonly { readonly group: number; readonly stage: Stage }[];
};

/** The number of steps and programs until a limit of the run is reached; null means no limit. */
export type WindowLimits = { readonly steps: number | null; readonly programs: number | null };

export type Generated = {
  /** Slots whose responses are stored now. */
  readonly stored: readonly number[];
  /** Slots that an endpoint without native n left out. They are asked for one by one. */
  readonly missing: readonly number[];
  /** Slots that are not asked for, because requests without an answer use a limit up. Left out means none. */
  readonly omitted?: readonly number[];
  /** The tokens and the cost of the stored responses, input and output together. */
  readonly tokens: number;
  readonly costUsd: number;
};

/** The responses `first` to `first + count - 1` of a group. */
export type Responses = { readonly group: number; readonly first: number; readonly count: number };

/** The outcomes of requests that went together in one activity. */
export type Outcomes = {
  readonly answers: readonly (Responses & Generated)[];
  /** The programs of all these responses; null where their edits are still to be applied. */
  readonly applied: Applied | null;
  /** Failed requests. Each is sent again by itself, after at least `afterMs`, and is retried and parks as such. */
  readonly failed: readonly (Responses & { readonly afterMs?: number })[];
};

/** The outcomes of one call, by the name that the workflow gave to it. */
export type OutcomesOfCall = Outcomes & { readonly call: string };

export type Applied = {
  /** Slots to evaluate; of equivalent programs only the first. */
  readonly evaluate: readonly number[];
  /** Those of them whose program was run before and failed, and is mended. Left out means none. */
  readonly mended?: readonly number[];
  /** The calls that are to be made for these slots. Nothing is stored of a slot with which edits go on after its call. */
  readonly asks?: readonly AnsweredCall[];
};

/** A call for the program of a slot; `round` as in answeredId. */
export type AnsweredCall = { readonly stage: AnsweredStage; readonly slot: number; readonly round?: number };

/** The stage that comes next; null before the programs. `refused`: the group ends and its slots have their outcome. */
export type Advanced = { readonly next: Stage | null; readonly refused: boolean };

export type Embedded = {
  /** The given slots that are to be evaluated: no near-duplicates of a program that was alive when the step began. */
  readonly evaluate: readonly number[];
  /** Calls about near-duplicates; their slots are to be given again once these are answered. */
  readonly asks?: readonly AnsweredCall[];
  /** The tokens and the cost of their embeddings, also when an earlier attempt paid for them. */
  readonly tokens: number;
  readonly costUsd: number;
};

/** The settings that the run loop needs; replaced when they change. */
export type SettingsBrief = {
  readonly configVersion: number;
  /** The names of all models, joined by commas; for the offline one it says that it is no language model. */
  readonly model: string;
  readonly batch: number;
  readonly responses: number;
  readonly limits: RunLimits;
  /** `run.weight`; left out where it is 1. */
  readonly weight?: number;
  /** Steps are windows of a stream (`schedule: continuous`). */
  readonly stream: boolean;
  /** As in StepSummary, but both true and false are said, because the settings may have changed it. */
  readonly beatsHuman?: boolean | undefined;
  /** Left out in runs that do not learn. */
  readonly learning?: LearningBrief;
};

export type StepSummary = {
  readonly step: number;
  readonly generation: number;
  /** Sums over all committed steps of the run, this one included. */
  readonly totals: RunTotals;
  readonly best: BestProgram | null;
  readonly paid: Paid;
  readonly populationSize: number;
  /** The newest settings, where they were changed: a reset by hand may leave out the messages that changed them. */
  readonly settings?: SettingsBrief;
  /** The run has passed the best value by human hands, and is to end there (`ideation.stopAtHuman`). */
  readonly beatsHuman?: true;
  /** Mean wall milliseconds of this step's evaluations; null when there were none, or when it is no longer known. */
  readonly evaluationMs: number | null;
  /** Milliseconds since the epoch at which the step was committed. Left out where nobody knows it. */
  readonly committedAtMs?: number;
};

export interface ModelActivities {
  /**
   * Makes a call of a group or of one of its programs. A stored answer is never asked for again. `told` is as in
   * `generate`. Where a limit is used up it fails with type BudgetSpent.
   */
  ask(
    input: StepRef & { readonly told?: number; readonly group: number } & ({ readonly stage: Stage } | AnsweredCall),
  ): Promise<{ readonly tokens: number; readonly costUsd: number }>;
  /**
   * Asks the model for the responses `first` to `first + count - 1` of a group, except for those that are stored. A
   * request that was sent too often without an answer fails with type Unanswered, with the number of sendings as its
   * detail, until `told` names that number: a person knows of them and wants to go on.
   */
  generate(
    input: StepRef & {
      readonly group: number;
      readonly first: number;
      readonly count: number;
      readonly responses: number;
      readonly told?: number;
      /** At most so many programs of the run are asked for at once by a process. Left out means that nothing says. */
      readonly inFlight?: number;
    },
  ): Promise<Generated>;
  /**
   * As `generate`, for requests of many groups, each of which is sent once. Their outcomes are reported to the workflow
   * some at a time (signal `answersReceived`, with the name `call`), and the last ones are the result. The edits of the
   * responses are applied before. A stream names `inFlight`; `overlaps` is as in `applyResponses`.
   */
  generateBatch(
    input: StepRef & {
      readonly call: string;
      readonly requests: readonly Responses[];
      readonly responses: number;
      readonly inFlight?: number;
      readonly overlaps?: true;
    },
  ): Promise<Outcomes & { readonly others?: readonly OutcomesOfCall[] }>;
  /**
   * Embeds the programs in these slots and compares them with the population. Stored embeddings are not asked for
   * again. `final` are slots about which nobody could be asked; `told` is as in `generate`.
   */
  embed(
    input: StepRef & {
      readonly slots: readonly number[];
      readonly final?: readonly number[];
      readonly ahead?: IslandAhead;
      readonly told?: number;
    },
  ): Promise<Embedded>;
}

/**
 * The result of a program on hidden instances; `score` is null unless it was valid there. `initial` is the initial
 * program's score there; null where it has none.
 */
export type OnHidden = {
  readonly program: string;
  readonly outcome: string;
  readonly score: number | null;
  readonly initial: number | null;
};

export type Evaluated = {
  readonly evaluated: number;
  /** Slots whose program failed and may be mended: their edits are to be applied once more. Left out means none. */
  readonly failed?: readonly number[];
  /** The tokens and the cost of what the task's evaluator asked a model. Left out where it asked nothing. */
  readonly asked?: { readonly tokens: number; readonly costUsd: number };
};

export interface EvaluationActivities {
  /** Evaluates the programs in these slots, each in a container of its own; of those in `mended` the newest form. */
  evaluate(
    input: StepRef & { readonly slots: readonly number[]; readonly mended?: readonly number[] },
  ): Promise<Evaluated>;
  /** Evaluates a committed program on the hidden instances of its task, unless the result is stored already. */
  evaluateHidden(input: { readonly run: RunId; readonly program: string }): Promise<OnHidden>;
}
