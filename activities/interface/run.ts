// The activities as workflows see them: one object in, one small object out. Ids, counts and scores only; content is
// in the store.
import type { Paid } from '../../evolution/budget/money.ts';
import type { Limits, RunConfig } from '../../evolution/config/run-config.ts';
import type { SettingsChange } from '../../evolution/methods/change.ts';
import type { Json, RunId, Stage } from '../../evolution/types.ts';
import type {
  Applied,
  IslandAhead,
  IslandPlan,
  IslandRef,
  StepPlan,
  StepRef,
  StepSummary,
  WindowLimits,
} from './step.ts';
import type { BestProgram, RunStatus, RunTotals } from '../store/documents.ts';

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

/** What the run loop needs to know about a run; small, because it is in history. */
export type RunBrief = SettingsBrief & {
  readonly run: RunId;
  readonly task: string;
  readonly method: string;
  readonly direction: 'maximise' | 'minimise';
  /** Which score ranks. Left out, as by runs opened before it was asked for: tolerant. */
  readonly scoring?: 'strict';
  readonly seed: number;
  readonly sweep: string | null;
  readonly paid: Paid;
  readonly committedStep: number;
  readonly totals: RunTotals;
  readonly best: BestProgram | null;
  /**
   * A step that would exceed a limit on programs makes just as many as are left. Left out, as by runs opened by
   * earlier versions: it is not started.
   */
  readonly exactPrograms?: true;
  /** The task has hidden instances (evolution/holdout.ts). Left out: none. */
  readonly holdout?: true;
  /** Milliseconds since the epoch at which the run was created: wall clock limits count from here. */
  readonly createdAtMs: number;
};

export type { SettingsChange };

/** The version that holds the change, and the dotted keys that it changed (none: everything was so already). */
export type SettingsChanged = { readonly version: number; readonly changed: readonly string[] };

/** What came of a `steer`: an injected program's key, or the version of the settings that holds the hint. */
export type SteerResult = { readonly injected: string | null; readonly version: number | null };

export interface StoreActivities {
  /**
   * Creates the run document, or reads it when it is there. Bad settings fail with type ConfigError. `owner` names
   * the execution. With `rewind` step `toStep` and all later ones are rewound first; a wrong `toStep` fails with
   * type BadRequest. The same `by` asks the model afresh once, whoever goes back.
   */
  openRun(input: {
    readonly run: RunId;
    readonly owner: string;
    readonly config?: RunConfig | { readonly [key: string]: Json } | undefined;
    /** Digest of the task as whoever starts a new run has kept it; left out: it is read and kept now. */
    readonly taskSnapshot?: string | undefined;
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
