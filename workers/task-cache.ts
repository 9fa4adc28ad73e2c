// Tasks of runs, read seldom: content that is kept with a run never changes, a folder (of runs of earlier versions)
// is looked at every few seconds.
import { isKept, taskLoader } from '../activities/task/kept-task.ts';
import type { Store } from '../activities/store/store.ts';
import type { Task } from '../evolution/task.ts';

const FRESH_MS = 5_000;
const MOST = 100;

/** By what `taskRef` says of a run. */
export const createTaskCache = (store: Pick<Store, 'readTask' | 'getTexts'>): ((ref: string) => Promise<Task>) => {
  const load = taskLoader(store);
  const cache = new Map<string, { readonly at: number; readonly task: Promise<Task> }>();
  return (ref) => {
    const known = cache.get(ref);
    if (known && (isKept(ref) || Date.now() - known.at < FRESH_MS)) return known.task;
    const task = load(ref);
    if (cache.size >= MOST) cache.clear();
    cache.set(ref, { at: Date.now(), task });
    task.catch(() => cache.delete(ref));
    return task;
  };
};
