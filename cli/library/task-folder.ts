// A task as a person names it: an id, or the path of a folder with a task.yaml. Called by the `evolve task` commands.
import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { listTasks, readTask, TaskError } from '../../activities/task/load-task.ts';
import type { Task } from '../../evolution/task.ts';
import { PROJECT_ROOT } from '../../deploy/home.ts';
import { ConfigError, UsageError } from './errors.ts';

export const TASKS = join(PROJECT_ROOT, 'tasks');

/** Throws UsageError with the known ids. */
export const taskFolder = async (named: string): Promise<string> => {
  const known = await listTasks();
  if (known.includes(named)) return join(TASKS, named);
  const path = isAbsolute(named) ? named : resolve(named);
  if (existsSync(join(path, 'task.yaml'))) return path;
  throw new UsageError(`unknown task ${JSON.stringify(named)}: expected the path of a folder with a task.yaml, or one of ${known.join(', ')}`);
};

/** Throws ConfigError with file, line and key. */
export const taskIn = async (folder: string): Promise<Task> => {
  try {
    return await readTask(folder);
  } catch (error) {
    throw error instanceof TaskError ? new ConfigError(error.message.split('\n')) : error;
  }
};
