// This input starts a run's workflow, also when it is started by hand in the Temporal UI.
import type { RunBrief } from '../../activities/interface/run.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { Json } from '../../evolution/types.ts';
import type { Internal } from '../engine/form.ts';
import type { ExtendRequest, PauseRequest, RewindRequest } from './messages.ts';

/** `patch` holds settings that differ from those of the other run. */
export type ForkInput = {
  readonly from: string;
  readonly atStep: number;
  readonly patch?: { readonly [key: string]: Json };
};

/** The end of a run. */
export type Rest = {
  readonly status: 'finished' | 'stopped' | 'terminated';
  readonly reason: string;
  /** The run at its end; null where it never opened, and where its end is unwritten. */
  readonly brief: RunBrief | null;
  /** The run was ended from outside, so its end is still to be written down. */
  readonly unwritten?: true;
};

/**
 * The key in the memo of an execution at which a run rests. It tells such an execution from all others, also while it
 * is open for the moment that it needs, and only executions that have it are ever deleted.
 */
export const AT_REST = 'EvoAtRest';

export type RunInput = {
  readonly run: string;
  /**
   * Settings of a new run, complete or as in a configuration file. Left out when the run exists already (resume,
   * continue-as-new); settings that differ from those of the run are refused.
   */
  readonly config?: RunConfig | { readonly [key: string]: Json };
  /**
   * The SHA-256 of the task as it was kept for a new run (`tasks` in the database). When left out, a worker reads and
   * keeps the task that the settings name.
   */
  readonly taskSnapshot?: string;
  /**
   * The run goes back before it begins: this step and all later ones are done again. `by` is the update that asked for
   * it, which a reset by hand sends again.
   */
  readonly rewind?: RewindRequest & { readonly by?: string };
  /** New limits, or a change of settings, of a run that exists, before it goes on. */
  readonly extend?: ExtendRequest;
  readonly patch?: { readonly [key: string]: Json };
  /** The run is new and goes on after a committed step of another run. */
  readonly fork?: ForkInput;
  /** The sweep that starts the run, which a person may have ended meanwhile: then it stays ended. */
  readonly sweep?: string;
  /** The run rests, as `stopped`, before more programs than this are made: at a rung of a sweep. */
  readonly until?: { readonly programs: number };
  /** Control state that is carried across continue-as-new. */
  readonly carry?: Internal<RunCarry>;
  /**
   * The run has ended, and this is its last execution: it says so in the lists of the engine, and completes. So the
   * lists have one row of each run, and those executions that did its work never stand in them as completed.
   */
  readonly rest?: Internal<Rest>;
};

type RunCarry = {
  readonly paused: PauseRequest | null;
  readonly evaluationMs: number | null;
  /** The version of the workflows of the execution before, where it went on for another one. */
  readonly from?: string;
} & Pick<Rest, 'brief'>;
