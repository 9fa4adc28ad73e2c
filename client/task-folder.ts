// A task as a person names it: an id, or the path of a folder with a task.yaml. Also makes the folder of a new task.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { listTasks, readTask, TaskError } from '../activities/task/load-task.ts';
import { PROJECT_ROOT } from '../deploy/host/home.ts';
import type { Task } from '../evolution/task.ts';
import { ConfigError } from '../evolution/config/config-error.ts';
import { UsageError } from './errors.ts';

export const TASKS = join(PROJECT_ROOT, 'tasks');

/** Throws UsageError with the known ids. */
export const taskFolder = async (named: string): Promise<string> => {
  const known = await listTasks();
  if (known.includes(named)) return join(TASKS, named);
  const path = isAbsolute(named) ? named : resolve(named);
  if (existsSync(join(path, 'task.yaml'))) return path;
  throw new UsageError(
    `unknown task ${JSON.stringify(named)}: expected the path of a folder with a task.yaml, or one of ${known.join(', ')}`,
  );
};

/** Throws ConfigError with file, line and key. */
export const taskIn = async (folder: string): Promise<Task> => {
  try {
    return await readTask(folder);
  } catch (error) {
    throw error instanceof TaskError ? new ConfigError(error.message.split('\n')) : error;
  }
};

/** A small problem that runs and passes its check. The author of the new task replaces it part by part. */
const SCAFFOLD = join(import.meta.dirname, 'scaffold');
const ID = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** The folder for a new task of this id. Throws UsageError where it exists already. */
export const newFolder = (id: string, into: string | undefined): string => {
  if (!ID.test(id))
    throw new UsageError(`expected an id in kebab-case such as my-problem-12, got ${JSON.stringify(id)}`);
  const folder = join(into === undefined ? TASKS : resolve(into), id);
  if (existsSync(folder)) throw new UsageError(`${folder} exists already: choose another id, or remove it`);
  return folder;
};

export const writeScaffold = (kind: 'solution' | 'function', id: string, folder: string): void => {
  mkdirSync(folder, { recursive: true });
  cpSync(join(SCAFFOLD, kind), folder, { recursive: true });
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, file);
    if (!statSync(path).isFile()) continue;
    const text = readFileSync(path, 'utf8');
    if (text.includes('__ID__')) writeFileSync(path, text.replaceAll('__ID__', id));
  }
};
