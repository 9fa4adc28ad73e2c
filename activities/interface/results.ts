// The activity that writes what a run leaves, as the workflows see it.
import type { RunId } from '../../evolution/types.ts';

/** The place where the files of a run were written. `failure` is the reason for which they could not be. */
export type Written = { readonly host: string; readonly directory: string; readonly failure: string | null };

export interface ResultActivities {
  /**
   * Writes runs/<id>/ on the worker's machine and notes the place in the run's document. A run's end does not wait for
   * a disk that is full or read-only: answer and document say so. Null where there is no such run.
   */
  writeResults(input: { readonly run: RunId }): Promise<Written | null>;
}
