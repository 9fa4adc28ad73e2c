// The programs that an island has made and that are not committed yet, because other islands are still at an earlier
// step (activities/step/commit/ahead.ts).
import type { ProgramDocument } from './documents/step-documents.ts';
import type { Store } from './store.ts';

export type Ahead = {
  /** The store, which does not have the programs below yet. */
  readonly base: Store;
  /** The last committed step at the time when they were made. */
  readonly committed: number;
  /** The island's programs of each later step, up to the one before the step at hand. */
  readonly steps: readonly { readonly step: number; readonly programs: readonly ProgramDocument[] }[];
};
