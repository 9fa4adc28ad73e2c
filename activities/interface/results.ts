// The activity that writes what a run leaves, as the workflows see it.
import type { RunId } from '../../evolution/types.ts';

/** The place where the files of a run were written. `failure` is the reason for which they could not be. */
export type Written = { readonly host: string; readonly directory: string; readonly failure: string | null };

export interface ResultActivities {
  /**
   * Writes runs/<id>/ on the worker's machine and notes in the run's document where it is. A disk that is full or
   * read-only is no error: the answer and the document say so, since a run's end must not wait for it. Null where
   * there is no such run.
   */
  writeResults(input: { readonly run: RunId }): Promise<Written | null>;
}
