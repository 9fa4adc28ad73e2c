// What trackers have of runs. The number of attempts is raised before each attempt, so that of several engine workers one
// sends.
import type { TrackingDocument } from '../documents/installation-documents.ts';
import type { Collections } from '../documents/stored.ts';

export interface TrackingStore {
  listTracking(): Promise<readonly TrackingDocument[]>;
  /** Inserts or replaces. False where another process has begun an attempt since `attempts` was read. */
  moveTracking(document: TrackingDocument, attempts: number): Promise<boolean>;
}

export const trackingStore = ({ tracking }: Pick<Collections, 'tracking'>): TrackingStore => ({
  listTracking: () => tracking.find({ run: { $gte: '' } }),
  moveTracking: ({ _id, ...document }, attempts) => tracking.upsert(_id, { attempts }, document),
});
