// The turns of a stream (evolution/schedule/stream.ts), between workflows and activities.
import type { Stage } from '../../evolution/stages.ts';
import type { StepRef, StepSummary, Unrepaired } from './step.ts';

/** The groups that a step of a stream commits. */
export type StreamCommit = {
  readonly groups: readonly number[];
  readonly injected: number;
  readonly omitted: readonly number[];
  readonly unrepaired?: readonly Unrepaired[];
  /** For whom the step after this one is opened at once; left out where nothing is left to commit after it. */
  readonly next?: string;
};

export type StreamTurn = StepRef & {
  /** `step` is the step that is committed next, whether or not anything is committed now. */
  readonly generation: number;
  readonly first: number;
  readonly commit?: StreamCommit;
  /** The steps after that one, in order, where more than one is committed. */
  readonly further?: readonly StreamCommit[];
  /** Groups to plan. */
  readonly plan: { readonly from: number; readonly count: number };
};

export type StreamTurned = {
  /** Null where nothing was committed. */
  readonly summary: StepSummary | null;
  /**
   * The groups that the step committed: others than the given ones where an earlier execution of the workflow had
   * committed the step before it was reset by hand.
   */
  readonly groups: readonly number[];
  /**
   * Each further step that was committed, none beyond a step that had other groups than those that were given: these may
   * be among the groups of the steps after it.
   */
  readonly further?: readonly StreamDone[];
  readonly preludes: readonly { readonly group: number; readonly stage: Stage }[];
};

export type StreamDone = { readonly summary: StepSummary; readonly groups: readonly number[] };
