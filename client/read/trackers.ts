// What keeps trackers from the steps of runs, for `evolve status`, its JSON, the page and `evolve doctor`.
import type { RunDocument, TrackerFault } from '../../activities/store/documents/documents.ts';
import type { Store } from '../../activities/store/store.ts';

/** A worker tries a tracker again after 5 minutes at most. After this time nobody sends to it any more. */
const GIVEN_UP_MS = 15 * 60_000;
/** A tracker that answers has new steps sooner. */
const BEHIND_MS = 60_000;

/**
 * The documents of runs with the trackers that fail for them. One run is tried on behalf of all while a tracker is away, so
 * its error counts for each run that lacks steps.
 */
export const withTrackers = async (
  store: Pick<Store, 'listTracking'>,
  runs: readonly RunDocument[],
  nowMs = Date.now(),
): Promise<readonly RunDocument[]> => {
  const failing = (await store.listTracking({ failing: true })).filter(
    ({ nextAt }) => nowMs - nextAt.getTime() < GIVEN_UP_MS,
  );
  if (failing.length === 0) return runs;
  const listed = new Map((await store.listTracking()).map((one) => [one._id, one]));
  return runs.map((run) => {
    const trackers = [...Map.groupBy(failing, ({ tracker }) => tracker)].flatMap(
      ([tracker, [first]]): TrackerFault[] => {
        const { step = -1, error = null, nextAt } = listed.get(`${tracker}:${run.run}`) ?? {};
        const waits = step < run.committedStep && nowMs - (nextAt?.getTime() ?? 0) > BEHIND_MS;
        return error === null && !waits ? [] : [{ tracker, step, error: error ?? first!.error! }];
      },
    );
    return trackers.length === 0 ? run : { ...run, trackers };
  });
};
