// The tasks that ship, each read once in a process: activities read the task of a run whenever they begin, and a test
// in memory calls thousands of them.
import { loadTask } from '../../../activities/task/load-task.ts';
import type { Task } from '../../../evolution/task/task.ts';

const read = new Map<string, Promise<Task>>();

/** As `loadTask`; a folder of the test's own is read each time, for a test may change it. */
export const shippedTask = (ref: string): Promise<Task> => {
  if (ref.includes('/')) return loadTask(ref);
  const known = read.get(ref) ?? loadTask(ref);
  read.set(ref, known);
  return known;
};
