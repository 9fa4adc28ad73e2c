// The requests of runs without an answer. Several answers of one moment name them, so they are read once for all.
import type { RunDocument, UnansweredSum } from '../../../activities/store/documents/documents.ts';
import { withUnanswered } from '../../../activities/store/steps/bookings.ts';
import type { Store } from '../../../activities/store/store.ts';
import { Kept } from './kept.ts';

/** The answers that follow one piece of news are made in this time. */
const SAME_MS = 300;
const MOST_RUNS = 100;

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
