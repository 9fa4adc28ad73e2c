// What runs sent and got no answer for. Several answers of one moment say it, so it is read once for them.
import type { RunDocument, UnansweredSum } from '../../../activities/store/documents/documents.ts';
import { withUnanswered } from '../../../activities/store/steps/bookings.ts';
import type { Store } from '../../../activities/store/store.ts';

/** Of the time in which the answers that come with one piece of news are made. */
const SAME_MS = 300;
const MOST_RUNS = 100;

type Read = { readonly atMs: number; readonly sum: Promise<UnansweredSum | undefined> };

/** The documents with what their runs sent and got no answer for. */
export type Unanswered = (documents: readonly RunDocument[]) => Promise<readonly RunDocument[]>;

export const unansweredOf = (store: () => Promise<Store>): Unanswered => {
  const reads = new Map<string, Read>();
  const sumOf = (document: RunDocument): Read['sum'] => {
    const { run } = document;
    const known = reads.get(run);
    if (known !== undefined && performance.now() - known.atMs < SAME_MS) return known.sum;
    const sum = store().then(async (opened) => (await withUnanswered(opened, [document]))[0]!.unanswered);
    // An error is told to those who asked, and to nobody later.
    sum.catch(() => reads.delete(run));
    reads.delete(run);
    reads.set(run, { atMs: performance.now(), sum });
    if (reads.size > MOST_RUNS) reads.delete(reads.keys().next().value!);
    return sum;
  };
  return (documents) =>
    Promise.all(
      documents.map(async (document) => {
        const unanswered = await sumOf(document);
        return unanswered === undefined ? document : { ...document, unanswered };
      }),
    );
};
