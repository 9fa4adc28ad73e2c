// The open step of a run, in which nothing is committed yet.
import type { RunReport } from '../../../client/read/shapes.ts';
import type { InStep } from '../../../workflows/messages/messages.ts';

/** Activities of one kind. */
export type Work = {
  readonly activity: string;
  /** When each began that a worker has, the first one first. */
  readonly sinceMs: readonly number[];
  /** Those that no worker has. */
  readonly waiting: number;
  /** Of those that failed before, the one that was tried most. */
  readonly failing: Failing | null;
  /** The last lines that programs printed which are evaluated. */
  readonly printed: readonly string[];
};
export type Failing = { readonly attempt: number; readonly attempts: number | null; readonly why: string };

/** GET runs/<run>/open-step: null where no step is open. */
export type OpenStep = {
  /** In a stream or a window of islands, the first step of the newest window. */
  readonly step: number;
  readonly sinceMs: number | null;
  /** Null where its workflow does not answer. */
  readonly counts: InStep | null;
  readonly work: readonly Work[];
  /** Programs that have an outcome, of all steps that are not committed. */
  readonly made: RunReport['uncommitted'];
  readonly atMs: number;
};
