// The activities over a run and its store, as the workflows see them: each takes one object and gives a small one.
// Workflow history holds only ids, counts and scores; all content is in the store.
import type { Paid } from '../../evolution/budget/money.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { SettingsChange } from '../../evolution/methods/change.ts';
import type { Stage } from '../../evolution/stages.ts';
import type { Json, RunId } from '../../evolution/types.ts';
import type {
  Advanced,
  Applied,
  IslandAhead,
  IslandPlan,
  IslandRef,
  SettingsBrief,
  StepPlan,
  StepRef,
  StepSummary,
  Unrepaired,
  WindowLimits,
} from './step.ts';
import type { StreamTurn, StreamTurned } from './stream.ts';
import type { BestProgram, RunTotals } from '../store/documents/documents.ts';
import type { Parked, RunStatus } from '../../evolution/run-states.ts';

/** Addresses for people, as the host that opened a run or a sweep knows them. Left out where it knows none. */
export type Links = {
  /** Of the page of this installation, before `/#/`. */
  readonly page?: string;
  /** Of the list of workflows in the engine's own UI. */
  readonly workflows?: string;
};

/** The facts about a run that the run loop needs; small, because they are in history. */
export type RunBrief = SettingsBrief & {
  readonly run: RunId;
  readonly task: string;
  readonly method: string;
  readonly direction: 'maximise' | 'minimise';
  /** The score that ranks. Left out means tolerant. */
  readonly scoring?: 'strict';
  readonly seed: number;
  readonly sweep: string | null;
  /** A person ended the run, and the sweep that started it now leaves it so: how it ended. */
  readonly stays?: { readonly status: 'finished' | 'stopped' | 'terminated'; readonly reason: string };
  readonly paid: Paid;
  readonly committedStep: number;
  readonly totals: RunTotals;
  readonly best: BestProgram | null;
  /** The task has hidden instances (evolution/scoring/evaluation.ts). Left out means that it has none. */
  readonly holdout?: true;
  /** As in StepPlan. */
  readonly queue?: string;
  /** The time of the last commit, and of the best program's, in ms since the epoch. Left out where there is none. */
  readonly committedAtMs?: number;
  readonly improvedAtMs?: number;
  /** Milliseconds since the epoch at which the run was created, because limits on wall time count from there. */
  readonly createdAtMs: number;
  /** The part of that time in which the run was paused or had ended. */
  readonly pausedMs: number;
  readonly links?: Links;
};

export type { SettingsChange };

/** The version that holds the change, and the dotted keys that it changed; none where all had their values already. */
export type SettingsChanged = { readonly version: number; readonly changed: readonly string[] };

/** A new run that goes on after step `atStep` of run `from`, with its settings but for those in `patch`. */
export type ForkOrder = { readonly from: RunId; readonly atStep: number; readonly patch?: Json };

export interface StoreActivities {
  /**
   * Creates the run document, or reads it. `owner` names the execution, and `start` the first one of its chain, which a
   * reset by hand leaves: what a start asks for is done once. With `rewind`, step `toStep` and all later ones are
   * rewound first; `by` is the update that asked for it. Bad settings, settings that differ from those of a run that
   * exists, and a fork that cannot be fail with type ConfigError, other wrong words with BadRequest, and change
   * nothing.
   */
  openRun(input: {
    readonly run: RunId;
    readonly owner: string;
    readonly start: string;
    readonly config?: RunConfig | { readonly [key: string]: Json } | undefined;
    /** Digest of the task as it was kept when a new run was asked for. When left out, the task is read and kept now. */
    readonly taskSnapshot?: string | undefined;
    readonly rewind?:
      | { readonly toStep: number; readonly resample: boolean; readonly by?: string | undefined }
      | undefined;
    /** The run stays paused after it is opened. Left out means no. */
    readonly paused?: true;
    readonly extend?: Json | undefined;
    readonly patch?: Json | undefined;
    readonly fork?: ForkOrder | undefined;
    /** The sweep that starts the run. A run that a person ended stays as it is, which the brief says. */
    readonly sweep?: string | undefined;
  }): Promise<RunBrief>;
  /**
   * Writes a new version of the settings. A change that is not allowed fails with type BadRequest. A message (`by`)
   * that comes again after a manual reset of the workflow changes nothing, and does not fail.
   */
  changeSettings(input: {
    readonly run: RunId;
    readonly change: SettingsChange;
    readonly by?: string | undefined;
  }): Promise<SettingsChanged & { readonly settings: SettingsBrief }>;
  /** Stores a program for the run's next step. A program that is not allowed fails with type BadRequest. */
  injectProgram(input: {
    readonly run: RunId;
    readonly island: number;
    readonly program: string;
  }): Promise<{ readonly injected: string }>;
  /**
   * Keeps a new version of the run's task, by which a step of its own scores the run's programs again; `task` is a
   * folder or a kept task. One that cannot be used fails with type ConfigError.
   */
  updateTask(input: { readonly run: RunId; readonly task?: string | undefined }): Promise<{
    readonly at: string;
    readonly step: number;
  }>;
  /** Asks the model afresh from this step on; `by` names the command. Returns what is paid so far. */
  resample(input: { readonly run: RunId; readonly step: number; readonly by: string }): Promise<Paid>;
  markRun(input: {
    readonly run: RunId;
    readonly status: RunStatus;
    readonly reason?: string | null;
    /** The times and tries of the parked phase. */
    readonly parked?: Parked | null;
    readonly stopReason?: string | null;
    /** As in RunBrief; left out where it is not to be changed. */
    readonly pausedMs?: number;
  }): Promise<void>;
  /**
   * Writes down the end of a run that was ended from outside, unless its document has one. Null where there is no such
   * run; `brief` is null where its task cannot be read any more.
   */
  endRun(input: { readonly run: RunId; readonly reason: string }): Promise<{
    readonly status: RunStatus;
    readonly stopReason: string | null;
    readonly brief: RunBrief | null;
  } | null>;
  /** Fails with type NoHost where no evaluation host serves the queue. */
  requireHost(input: { readonly run: RunId; readonly queue: string }): Promise<void>;
  /**
   * Opens the step behind the fence, draws the parents of its groups and writes their prompts. `owner` is the run's
   * execution: a step that is reset by hand long after its run went on is found done, or superseded.
   */
  planStep(input: {
    readonly run: RunId;
    readonly step: number;
    readonly owner: string;
    /** Left out means that it is this one step in full. */
    readonly window?: WindowLimits;
    /** Names a person's request to do step 0 again: the task is then taken anew, while there is no valid program. */
    readonly again?: string;
  }): Promise<StepPlan>;
  /** Plans an island's groups of a step within a window, from what the island's earlier steps made. */
  planIsland(input: IslandRef): Promise<IslandPlan>;
  /** Plans a step before the step before it is committed (`schedule: overlapping`). */
  planOverlapping(input: StepRef & { readonly generation: number }): Promise<IslandPlan>;
  applyResponses(
    input: StepRef & {
      readonly slots: readonly number[];
      /** Slots whose model is not to be asked once more, because that could not be done. Left out means none. */
      readonly final?: readonly number[];
      readonly ahead?: IslandAhead;
      /** Only programs that were committed when the step was planned are known. Left out means all of earlier steps. */
      readonly overlaps?: true;
      /** In a stream: equivalent programs are evaluated each, because their steps may differ. Left out means no. */
      readonly stream?: true;
      /** The answers have just come, so no earlier outcome of them is looked for; one that is stored is found later. */
      readonly fresh?: true;
    },
  ): Promise<Applied>;
  /**
   * Reads the answer to a stage of a group and writes what follows: the request of the next stage, or the request for
   * programs. `failed` says why the stage could not be asked.
   */
  advance(
    input: StepRef & {
      readonly group: number;
      readonly stage: Stage;
      readonly failed: string | null;
      readonly ahead?: IslandAhead;
      readonly stream?: true;
    },
  ): Promise<Advanced>;
  /** Writes what the judge is asked about the initial idea, after the initial program has been evaluated. */
  initialIdea(input: StepRef): Promise<void>;
  /**
   * Inserts the step's children, migrates when it is due and moves the commit point. `omitted` holds the slots that
   * were never asked for, to keep a budget; `unrepaired` the slots whose missing delta could not be asked for, and why.
   * `next` is the owner of the run, for whom the step after this one is opened at once.
   */
  commitStep(
    input: StepRef & {
      readonly generation: number;
      readonly injected: number;
      readonly omitted: readonly number[];
      readonly unrepaired?: readonly Unrepaired[];
      readonly next?: string;
      /** In a stream: the step in whose name its ids are, and the groups in the order in which they were finished. */
      readonly stream?: { readonly first: number; readonly groups: readonly number[] };
    },
  ): Promise<StepSummary>;
  /** One turn of a stream: commits the groups of a step, where there are any, and plans further groups after it. */
  turnStream(input: StreamTurn): Promise<StreamTurned>;
}
