// A run's document as somebody looks at it: read from the database every 0.7 s at most, however many ask; and its
// requests without an answer.
import type { RunDocument, UnansweredSum } from '../../../activities/store/documents/documents.ts';
import { withUnanswered } from '../../../activities/store/steps/bookings.ts';
import type { Store } from '../../../activities/store/store.ts';
import { findRun } from '../../../client/read/run-id.ts';
import { Kept } from './kept.ts';

/**
 * No document is asked for more often. So what is committed is on a page within a second, with the time that it takes.
 */
export const LOOK_MS = 700;
const MOST_RUNS = 100;

export type Looks = {
  /** The run as it was at most LOOK_MS ago. Throws UsageError where there is none of this name. */
  readonly run: (id: string) => Promise<RunDocument>;
  /** Changes whenever a run or a sweep does. */
  readonly all: () => Promise<string>;
};

export const looksAt = (store: () => Promise<Store>): Looks => {
  const looks = new Kept<RunDocument>(MOST_RUNS, LOOK_MS);
  return {
    async all() {
      const opened = await store();
      return JSON.stringify([await opened.runStates(), await opened.sweepStates()]);
    },
    run: (id) => looks.get(id, async () => findRun(await store(), id)),
  };
};

/** The answers that follow one piece of news are made in this time. */
const SAME_MS = 300;

/** The documents with the unanswered requests of their runs. */
export type Unanswered = (documents: readonly RunDocument[]) => Promise<readonly RunDocument[]>;

export const unansweredOf = (store: () => Promise<Store>): Unanswered => {
  const sums = new Kept<UnansweredSum | undefined>(MOST_RUNS, SAME_MS);
  return (documents) =>
    Promise.all(
      documents.map(async (document) => {
        const unanswered = await sums.get(
          document.run,
          async () => (await withUnanswered(await store(), [document]))[0]!.unanswered,
        );
        return unanswered === undefined ? document : { ...document, unanswered };
      }),
    );
};
