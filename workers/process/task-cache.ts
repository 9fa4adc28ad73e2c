// Tasks of runs, read seldom: content that is kept with a run never changes, a folder is looked at every few seconds.
import { isKept, taskLoader } from '../../activities/task/kept-task.ts';
import type { Store } from '../../activities/store/store.ts';
import type { Task } from '../../evolution/task/task.ts';
import { LRUCache } from 'lru-cache';

const FRESH_MS = 5_000;
const MOST = 100;

/** Loads tasks by the reference that `taskRef` makes of a run. */
export const createTaskCache = (store: Pick<Store, 'readTask' | 'getTexts'>): ((ref: string) => Promise<Task>) => {
  const load = taskLoader(store);
  const cache = new LRUCache<string, Promise<Task>>({ max: MOST });
  return (ref) => {
    const cached = cache.get(ref);
    if (cached !== undefined) return cached;
    const task = load(ref);
    cache.set(ref, task, isKept(ref) ? {} : { ttl: FRESH_MS });
    task.catch(() => cache.delete(ref));
    return task;
  };
};
