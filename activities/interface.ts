// The activities as workflows see them: one object in, one small object out. Ids, counts and scores only; content is
// in the store.
import type { Limits, RunConfig } from '../evolution/config/run-config.ts';
import type { SettingsChange } from '../evolution/methods/change.ts';
import type { Json, RunId, Stage } from '../evolution/types.ts';
import type { BestProgram, RunStatus, RunTotals, SweepStatus } from './store/documents.ts';

/** What the run loop needs to know of the settings; replaced when they change. */
export type SettingsBrief = {
  readonly configVersion: number;
  /** Names of all models. */
  readonly model: string;
  readonly batch: number;
  readonly responses: number;
  readonly limits: Limits;
  /** As in StepSummary; true or false where it is known anew. */
  readonly beatsHuman?: boolean | undefined;
};

/** Everything paid for, set-aside steps included: what limits on tokens and cost are held against. */
export type Paid = { readonly programs: number; readonly tokens: number; readonly costUsd: number };

/** What the run loop needs to know about a run; small, because it is in history. */
export type RunBrief = SettingsBrief & {
  readonly run: RunId;
  readonly task: string;
  readonly method: string;
  readonly direction: 'maximise' | 'minimise';
  readonly seed: number;
  readonly sweep: string | null;
  readonly paid: Paid;
  readonly committedStep: number;
  readonly totals: RunTotals;
  readonly best: BestProgram | null;
  /** The task has hidden instances (evolution/holdout.ts). Left out: none. */
  readonly holdout?: true;
  /** Milliseconds since the epoch at which the run was created: wall clock limits count from here. */
  readonly createdAtMs: number;
};

/** `version`: of the settings that the step goes by. */
export type StepRef = { readonly run: RunId; readonly step: number; readonly epoch: number; readonly version: number };

export type { SettingsChange };

/** The version that holds the change, and the dotted keys that it changed (none: everything was so already). */
export type SettingsChanged = { readonly version: number; readonly changed: readonly string[] };

/** What came of a `steer`: an injected program's key, or the version of the settings that holds the hint. */
export type SteerResult = { readonly injected: string | null; readonly version: number | null };

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
  /** Each island goes on alone up to step `last`. Left out: the step ends for all islands at once. */
  readonly window?: { readonly last: number; readonly islands: number };
};

/** A step of an island within a window, whose other islands may be at other steps. */
export type IslandRef = StepRef & { readonly generation: number; readonly island: number };
/** In a window: the island whose step this is. */
export type IslandAhead = Pick<IslandRef, 'generation' | 'island'>;
/** The groups that an island has in a step, and those of them that are asked for something before their programs. */
export type IslandPlan = {
  readonly groups: readonly number[];
  readonly preludes: readonly { readonly group: number; readonly stage: Stage }[];
};

/** What a window may come to before a limit of the run is reached; null: no limit. */
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

export interface StoreActivities {
  /**
   * Creates the run document, or reads it when it is there. Bad settings fail with type ConfigError. `owner` names
   * the execution. With `rewind` step `toStep` and all later ones are given up first; a wrong `toStep` fails with
   * type BadRequest. The same `by` asks the model afresh once, whoever goes back.
   */
  openRun(input: {
    readonly run: RunId;
    readonly owner: string;
    readonly config?: RunConfig | { readonly [key: string]: Json } | undefined;
    readonly rewind?:
      | { readonly toStep: number; readonly resample: boolean; readonly by?: string | undefined }
      | undefined;
  }): Promise<RunBrief>;
  /**
   * Writes a new version of the settings. What cannot be fails with type BadRequest and changes nothing; so does,
   * without failing, a message (`by`) that comes again after a reset by hand.
   */
  changeSettings(input: {
    readonly run: RunId;
    readonly change: SettingsChange;
    readonly by?: string | undefined;
  }): Promise<SettingsChanged & { readonly settings: SettingsBrief }>;
  /** Stores a program for the run's next step. What cannot be fails with type BadRequest. */
  injectProgram(input: {
    readonly run: RunId;
    readonly island: number;
    readonly program: string;
  }): Promise<{ readonly injected: string }>;
  /** Asks the model afresh from this step on; `by` names the command. Returns what is paid so far. */
  resample(input: { readonly run: RunId; readonly step: number; readonly by: string }): Promise<Paid>;
  markRun(input: {
    readonly run: RunId;
    readonly status: RunStatus;
    readonly reason?: string | null;
    readonly stopReason?: string | null;
  }): Promise<void>;
  /**
   * Opens the step (fence), draws B parents and writes their prompts. `owner` names the run's execution: a step that
   * is reset by hand long after its run went on finds itself done, or superseded.
   */
  planStep(input: {
    readonly run: RunId;
    readonly step: number;
    readonly owner: string;
    readonly window?: WindowLimits;
  }): Promise<StepPlan>;
  /** Plans an island's groups of a step within a window, from what its steps before made. */
  planIsland(input: IslandRef): Promise<IslandPlan>;
  /** Parses responses, applies their edits and runs the early checks. */
  applyResponses(
    input: StepRef & { readonly slots: readonly number[]; readonly ahead?: IslandAhead },
  ): Promise<Applied>;
  /**
   * Reads the answer to a stage of a group and writes what follows: the next stage's request, or the request for
   * programs (`next: null`). `refused`: the group ends here, its slots have their outcome. `failed`: the stage could
   * not be asked.
   */
  advance(
    input: StepRef & {
      readonly group: number;
      readonly stage: Stage;
      readonly failed: string | null;
      readonly ahead?: IslandAhead;
    },
  ): Promise<{ readonly next: Stage | null; readonly refused: boolean }>;
  /** Writes what the judge is asked of the initial idea, once the initial program is evaluated. */
  initialIdea(input: StepRef): Promise<void>;
  /**
   * Inserts the step's children, migrates when due and moves the commit point. `omitted`: slots never asked for, to
   * keep a budget. `unrepaired`: slots whose missing delta could not be asked for, and why. `next`: the owner of the
   * run, for whom the step after it is opened.
   */
  commitStep(
    input: StepRef & {
      readonly generation: number;
      readonly injected: number;
      readonly omitted: readonly number[];
      readonly unrepaired?: readonly { readonly slot: number; readonly reason: string }[];
      readonly next?: string;
    },
  ): Promise<StepSummary>;
}

/** A run of a sweep as the sweep sees it. `lost`: its workflow is closed though the run has not ended. */
export type SweptState = 'queued' | 'alive' | 'ended' | 'lost';
export type SweptRun = {
  readonly run: RunId;
  readonly state: SweptState;
  readonly attention: boolean;
  readonly programs: number;
  readonly best: number | null;
  /**
   * Programs of the rung at which an ended run rests, 0 when it stopped with its sweep; null when it came to an end
   * of its own.
   */
  readonly rung: number | null;
};
export type SweepPlan = {
  readonly name: string;
  /** In the order in which they are started. */
  readonly runs: readonly { readonly run: RunId; readonly group: number; readonly summary: string }[];
  readonly maxParallel: number;
  /** Programs at which successive halving compares the groups, ascending; empty without it. */
  readonly rungs: readonly number[];
  /** Groups that earlier rungs stopped, and how many rungs are decided. */
  readonly stopped: readonly number[];
  readonly decided: number;
};

export interface SweepActivities {
  /** Expands the sweep and creates the documents of its runs, or finds them. Bad input fails with type ConfigError. */
  openSweep(input: { readonly spec: Json; readonly startedAtMs: number }): Promise<SweepPlan>;
  /** The runs' states, as soon as one differs from `known` (by run), or after 20 s. */
  awaitRuns(input: {
    readonly runs: readonly RunId[];
    readonly known: { readonly [run: RunId]: SweptState };
  }): Promise<readonly SweptRun[]>;
  /**
   * Ranks the groups that are still in the sweep at a rung, stores the decision and marks the losers' runs as
   * stopped. Groups to stop.
   */
  decideRung(input: { readonly sweep: string; readonly programs: number }): Promise<readonly number[]>;
  markSweep(input: {
    readonly sweep: string;
    readonly status: SweepStatus;
    readonly stopReason?: string | null;
  }): Promise<void>;
}

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
  embed(input: StepRef & { readonly slots: readonly number[] }): Promise<Embedded>;
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
