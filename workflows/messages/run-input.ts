// What starts a run's workflow, by hand in the Temporal UI too.
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { Json } from '../../evolution/types.ts';
import type { PauseRequest, RewindRequest } from './messages.ts';

export type RunInput = {
  readonly run: string;
  /**
   * Settings, complete or as in a configuration file; left out when the run exists already (resume, extend,
   * continue-as-new).
   */
  readonly config?: RunConfig | { readonly [key: string]: Json };
  /**
   * SHA-256 of the task as it was kept for a new run (`tasks` in the database); left out: a worker reads and keeps
   * the one that the settings name.
   */
  readonly taskSnapshot?: string;
  /**
   * Goes back before it begins: this step and all later ones are done again. `by`: the update that asked for it,
   * which a reset by hand sends again.
   */
  readonly rewind?: RewindRequest & { readonly by?: string };
  /** Rests, as `stopped`, before more programs than this are made: a rung of a sweep. */
  readonly until?: { readonly programs: number };
  /** Control state across continue-as-new. */
  readonly carry?: { readonly paused: PauseRequest | null; readonly evaluationMs: number | null };
};
