// A sweep's workflow hands this state on to its next execution, and ends with this result.
import type { SweepStatus } from '../../activities/interface/sweep.ts';
import type { Json } from '../../evolution/types.ts';
import type { Internal } from '../engine/form.ts';
import type { PauseRequest } from './messages.ts';

/** The end of a sweep. */
export type SweepRest = { readonly status: 'finished' | 'stopped' | 'terminated'; readonly reason: string | null };

export type SweepCarry = Internal<{
  readonly startedAtMs: number;
  readonly paused: PauseRequest | null;
  /** The schedule that started the sweep. */
  readonly schedule?: string;
  /** This execution only waits for the end of a sweep that was under way when it started. */
  readonly joined?: boolean;
  /** This execution only waits for the end of the sweep that an earlier execution of it started. */
  readonly started?: boolean;
  /** The version of the workflows of the execution before, where it went on for another one. */
  readonly from?: string;
  /** The sweep has ended, and this is its last execution: it says so in the lists of the engine, and completes. */
  readonly rest?: SweepRest;
}>;

export type SweepResult = {
  readonly sweep: string;
  readonly status: SweepStatus;
  readonly runs: number;
  /** The deed of an execution that is not the sweep itself, but started or joined it. */
  readonly said?: string;
};

export type SweepWorkflow = (spec: Json, carry?: SweepCarry) => Promise<SweepResult>;
