// Tasks, each read again only after a few seconds: a changed task folder is noticed soon, and a step does not read the
// files 500 times.
import { loadTask } from '../activities/task/load-task.ts';
import type { Task } from '../evolution/task.ts';

const FRESH_MS = 5_000;

export const createTaskCache = (): ((id: string) => Promise<Task>) => {
  const cache = new Map<string, { readonly at: number; readonly task: Promise<Task> }>();
  return (id) => {
    const known = cache.get(id);
    if (known && Date.now() - known.at < FRESH_MS) return known.task;
    const task = loadTask(id);
    cache.set(id, { at: Date.now(), task });
    task.catch(() => cache.delete(id));
    return task;
  };
};
