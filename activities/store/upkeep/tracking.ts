// What trackers have of runs. The number of attempts is raised before each attempt, so that of several engine workers one
// sends.
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
