// What runs sent and got no answer for. Several answers of one moment say it, so it is read once for them.
import type { RunDocument, UnansweredSum } from '../../../activities/store/documents/documents.ts';
import { withUnanswered } from '../../../activities/store/steps/bookings.ts';
import type { Store } from '../../../activities/store/store.ts';
import { Kept } from './kept.ts';

/** Of the time in which the answers that come with one piece of news are made. */
const SAME_MS = 300;
const MOST_RUNS = 100;

/** The documents with what their runs sent and got no answer for. */
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
