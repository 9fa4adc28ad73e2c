// The activities of a sweep, as its workflow sees them.
import type { Links } from './run.ts';
import type { Scoring } from '../../evolution/scoring/ranking.ts';
import type { Direction, Json, RunId } from '../../evolution/types.ts';
import type { SweepStatus } from '../store/documents/documents.ts';

export type { SweepStatus };

/** The state of a run of a sweep. `lost` means that its workflow is closed though the run has not ended. */
export type SweptState = 'queued' | 'alive' | 'ended' | 'lost';
export type SweptRun = {
  readonly run: RunId;
  readonly state: SweptState;
  readonly attention: boolean;
  /** The state in a word: of its document, else `opening`, `resting` (at a rung of halving) or `closed` (lost). */
  readonly word: string;
  readonly programs: number;
  /** The score that ranks; null where nothing is valid, and where scores are invented. */
  readonly best: number | null;
  readonly costUsd: number;
  /** The rung's programs at which the run was stopped, 0 when it was with its sweep; null when it ended by itself. */
  readonly rung: number | null;
};
export type SweepPlan = {
  readonly name: string;
  /** In the order in which they are started. */
  readonly runs: readonly { readonly run: RunId; readonly group: number; readonly summary: string }[];
  readonly maxParallel: number;
  /** Numbers of programs at which successive halving compares the groups, ascending. Empty without it. */
  readonly rungs: readonly number[];
  /** The groups that earlier rungs stopped. `decided` counts the rungs that are decided. */
  readonly stopped: readonly number[];
  readonly decided: number;
  readonly page: SweepPage;
  readonly links?: Links;
};
export type SweepPage = {
  /** The settings that tell each group from the others, and the better direction of its scores. */
  readonly groups: readonly { readonly settings: string; readonly direction: Direction }[];
  readonly scoring: Scoring;
  /** The values that all runs have in common; null where they differ. */
  readonly task: string | null;
  readonly method: string | null;
  readonly model: string | null;
  readonly limits: string | null;
};

/** `open`: its workflow is alive. The rest is from its document; `status` is null where there is none. */
export type SweepStanding = {
  readonly open: boolean;
  readonly status: SweepStatus | null;
  readonly ended: boolean;
  readonly runs: number;
};

export interface SweepActivities {
  /** Expands the sweep and creates the documents of its runs, or finds them. Bad input fails with type ConfigError. */
  openSweep(input: { readonly spec: Json; readonly startedAtMs: number }): Promise<SweepPlan>;
  /** The state of the sweep of this name, for those who wait for its end. */
  lookAtSweep(input: { readonly sweep: string }): Promise<SweepStanding>;
  /** The states of the runs, as soon as one differs from `known`, or its word from `words`, or after 20 s. */
  awaitRuns(input: {
    readonly runs: readonly RunId[];
    readonly known: { readonly [run: RunId]: SweptState };
    readonly words?: { readonly [run: RunId]: string };
    /** The score to tell; where it is left out, that of each run's own settings. */
    readonly scoring?: Scoring;
  }): Promise<readonly SweptRun[]>;
  /** Ranks the groups left in the sweep, stores the decision, and marks and returns the groups to stop. */
  decideRung(input: { readonly sweep: string; readonly programs: number }): Promise<readonly number[]>;
  /** Writes down the end of a sweep that was ended from outside, unless its document has one. Null without a sweep. */
  endSweep(input: { readonly sweep: string; readonly reason: string | null }): Promise<{
    readonly status: 'finished' | 'stopped' | 'terminated';
    readonly stopReason: string | null;
    readonly plan: SweepPlan;
  } | null>;
  markSweep(input: {
    readonly sweep: string;
    readonly status: SweepStatus;
    readonly stopReason?: string | null;
  }): Promise<void>;
}
