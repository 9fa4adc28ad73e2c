// What trackers have of runs. The number of attempts is raised before each attempt, so that of several engine workers one
// sends.
import type { RunDocument, TrackerFault } from '../documents/documents.ts';
import type { TrackingDocument } from '../documents/installation-documents.ts';
import type { Collections } from '../documents/stored.ts';

export interface TrackingStore {
  /** All of them, or those whose last attempt failed. */
  listTracking(which?: { readonly failing: true }): Promise<readonly TrackingDocument[]>;
  /** Inserts or replaces. False where another process has begun an attempt since `attempts` was read. */
  moveTracking(document: TrackingDocument, attempts: number): Promise<boolean>;
}

export const trackingStore = ({ tracking }: Pick<Collections, 'tracking'>): TrackingStore => ({
  listTracking: (which) => tracking.find({ run: { $gte: '' }, ...(which && { error: { $gte: '' } }) }),
  moveTracking: ({ _id, ...document }, attempts) => tracking.upsert(_id, { attempts }, document),
});

/** A worker tries a tracker again after 5 minutes at most. After this time nobody sends to it any more. */
const GIVEN_UP_MS = 15 * 60_000;
/** A tracker that answers has new steps sooner. */
const BEHIND_MS = 60_000;

/**
 * The documents of runs with the trackers that fail for them. One run is tried on behalf of all while a tracker is away, so
 * its error counts for each run that lacks steps.
 */
export const withTrackers = async (
  store: Pick<TrackingStore, 'listTracking'>,
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
