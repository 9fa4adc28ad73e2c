// The settings of a run, for activities that run hundreds of times a step: a run is read at most once every two
// seconds. Settings change only between steps, so such a read is never wrong within a step.
import type { RunId } from '../../evolution/types.ts';
import type { RunDocument } from '../store/documents/documents.ts';
import type { Store } from '../store/store.ts';
import { epochAt } from '../store/steps/paid.ts';
import { requiredRun } from './step-summary.ts';
import { LRUCache } from 'lru-cache';

const FRESH_MS = 2_000;
const KEPT = 100;

type RunSettings = Pick<
  RunDocument,
  'run' | 'config' | 'evaluatorDigest' | 'taskSnapshot' | 'isolation' | 'sweep' | 'draws' | 'epochs'
>;

/**
 * Throws when the run does not exist. With a step and its epoch the task is that of the step: where a run changes its
 * task, it begins a new epoch.
 */
export const recentRun = (
  store: Store,
): ((run: RunId, at?: { readonly step: number; readonly epoch: number }) => Promise<RunSettings>) => {
  const fetchMethod = (run: RunId): Promise<RunSettings> => requiredRun(store, run);
  const cache = new LRUCache<RunId, RunSettings>({ max: KEPT, ttl: FRESH_MS, fetchMethod });
  return async (run, at) => {
    const recent = await cache.forceFetch(run);
    return at === undefined || epochAt(recent.epochs, at.step) === at.epoch ? recent : requiredRun(store, run);
  };
};
