// Tasks, read once in a while: a changed task folder is noticed within a few seconds, a step does not read files 500
// times.
import { loadTask } from '../activities/task/load-task.ts';
import type { Task } from '../evolution/task.ts';
import { LRUCache } from 'lru-cache';

const FRESH_MS = 5_000;
const KEPT = 100;

export const createTaskCache = (): ((id: string) => Promise<Task>) => {
  const cache = new LRUCache<string, Promise<Task>>({ max: KEPT, ttl: FRESH_MS });
  return (id) => {
    const known = cache.get(id);
    if (known !== undefined) return known;
    const task = loadTask(id);
    cache.set(id, task);
    task.catch(() => cache.delete(id));
    return task;
  };
};
