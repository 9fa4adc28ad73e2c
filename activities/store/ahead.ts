// What an island has made that is not committed yet, since other islands are still at a step before (ahead.ts).
import type { ProgramDocument } from './step-documents.ts';
import type { Store } from './store.ts';

export type Ahead = {
  /** The store that the programs below are not in yet. */
  readonly base: Store;
  /** The step that was committed last when they were made. */
  readonly committed: number;
  /** The island's of each step since, up to the one before the step at hand. */
  readonly steps: readonly { readonly step: number; readonly programs: readonly ProgramDocument[] }[];
};
