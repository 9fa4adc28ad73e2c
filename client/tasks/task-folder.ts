// A task as a person names it: an id of tasks/, or the path of a folder anywhere. What names it (a directory, a file)
// decides what a relative path means.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { folderOf, readTask } from '../../activities/task/load-task.ts';
import { TaskError } from '../../activities/task/task-files.ts';
import { PROJECT_ROOT } from '../../deploy/host/home.ts';
import type { Layer } from '../../evolution/config/problems.ts';
import { type LanguageName, LANGUAGE_NAMES, LANGUAGES, toolchainOf } from '../../evolution/task/languages.ts';
import { AS_IT_IS, type TaskChoice } from '../../evolution/task/task-choice.ts';
import type { Task } from '../../evolution/task/task.ts';
import { ConfigError } from '../../evolution/config/config-error.ts';
import { UsageError } from '../connect/errors.ts';

export const TASKS = join(PROJECT_ROOT, 'tasks');

const isTask = (folder: string): boolean => existsSync(join(folder, 'task.yaml'));

/**
 * An id stays what it is; a folder outside tasks/ becomes its absolute path, as runs store it. Whether a task is
 * there is not checked.
 */
export const namedTask = (named: string, from: string): string => {
  const path = named.includes('/');
  if (!path && isTask(join(TASKS, named))) return named;
  const folder = resolve(from, named);
  if (dirname(folder) === TASKS && isTask(folder)) return folder.slice(TASKS.length + 1);
  return path || isTask(folder) ? folder : named;
};

/**
 * The layer with its task named as runs store it. `from`: the directory, or the file's, that a relative path in it
 * begins at.
 */
export const withNamedTask = (layer: Layer, from: string): Layer => ({
  ...layer,
  settings: withNamed(layer.settings, from),
});

const withNamed = (settings: unknown, from: string): unknown => {
  if (settings === null || typeof settings !== 'object' || Array.isArray(settings)) return settings;
  const { task } = settings as { readonly task?: unknown };
  return task === undefined ? settings : { ...settings, task: renamed(task, from) };
};

/** One name or a list of choices; anything else is left to the schema. */
const renamed = (value: unknown, from: string): unknown =>
  typeof value === 'string'
    ? namedTask(value, from)
    : Array.isArray(value)
      ? value.map((one) => renamed(one, from))
      : value;

/** The same for every place of a sweep that can name tasks. */
export const withNamedTasks = (sweep: unknown, from: string): unknown => {
  if (sweep === null || typeof sweep !== 'object' || Array.isArray(sweep)) return sweep;
  const { base, grid, list, random, ...rest } = sweep as { readonly [key: string]: unknown };
  const { space, ...draw } = (random ?? {}) as { readonly space?: unknown };
  return {
    ...rest,
    ...(base === undefined ? {} : { base: withNamed(base, from) }),
    ...(grid === undefined ? {} : { grid: withNamed(grid, from) }),
    ...(list === undefined ? {} : { list: Array.isArray(list) ? list.map((entry) => withNamed(entry, from)) : list }),
    ...(random === undefined
      ? {}
      : { random: space === undefined ? random : { ...draw, space: withNamed(space, from) } }),
  };
};

/** The folder of a task that was named on the command line. Throws UsageError: what it lacks, or the known ids. */
export const taskFolder = async (named: string): Promise<string> => {
  try {
    return await folderOf(namedTask(named, process.cwd()));
  } catch (error) {
    throw error instanceof TaskError ? new UsageError(error.message) : error;
  }
};

/** `choice` is a variant or a start of it. Throws ConfigError with file, line and key. */
export const taskIn = async (folder: string, choice: Partial<TaskChoice> = {}): Promise<Task> => {
  try {
    return await readTask(folder, undefined, { ...AS_IT_IS, ...choice });
  } catch (error) {
    throw error instanceof TaskError ? new ConfigError(error.message.split('\n')) : error;
  }
};

/** A small problem that runs and passes its check. The author of the new task replaces it part by part. */
const SCAFFOLD = join(import.meta.dirname, 'scaffold');
/** What is wrong with a problem statement that begins as `evolve init` writes it; null where nothing is. */
export const unwrittenProblem = (folder: string, { prompts }: Pick<Task, 'prompts'>): string | null => {
  const bare = parse(readFileSync(join(SCAFFOLD, 'bare', 'task.yaml'), 'utf8')) as { readonly problem: string };
  return prompts.some(({ text }) => text.includes(bare.problem.split('\n')[0]!))
    ? `${folder}/task.yaml: problem: expected what is sought and what makes a solution better, got the text that \`evolve init\` wrote, and models read it`
    : null;
};

const ID = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

export const taskId = (name: string): string => {
  if (!ID.test(name))
    throw new UsageError(`expected an id in kebab-case such as my-problem-12, got ${JSON.stringify(name)}`);
  return name;
};

/** The folder for a new task of this id. Throws UsageError where it exists already. */
export const newFolder = (id: string, into: string | undefined): string => {
  const folder = join(into ?? (process.cwd() === PROJECT_ROOT ? TASKS : '.'), taskId(id));
  if (existsSync(folder)) throw new UsageError(`${folder} exists already: choose another id, or remove it`);
  return resolve(folder);
};

export type Scaffold = 'solution' | 'function' | 'bare' | Exclude<LanguageName, 'python'>;

/** What an example in another language than Python has beside the files that all of them share. */
const initialOf = (kind: Scaffold): string | null => {
  const language = LANGUAGE_NAMES.find((name) => name === kind);
  return language === undefined ? null : `initial.${LANGUAGES[language].extension}`;
};

/** One without packages of Debian needs an image, which only its author knows. */
const languageLines = (kind: Scaffold): string => {
  const language = LANGUAGE_NAMES.find((name) => name === kind);
  return toolchainOf(language)?.packages === null
    ? `language: ${kind}\n# An image that the container engine has, with ${kind} and Python 3.11 or newer with numpy.\nimage: my-${kind}`
    : `language: ${kind}`;
};

/** Writes the files of an example into a folder, and gives their paths. What else is there stays as it is. */
export const writeScaffold = (kind: Scaffold, id: string, folder: string): readonly string[] => {
  const initial = initialOf(kind);
  const from = join(SCAFFOLD, initial === null || kind === 'text' ? kind : 'language');
  const files = readdirSync(from, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(from, path)).isFile())
    .filter((path) => initial === null || !path.startsWith('initial.') || path === initial);
  for (const path of files) {
    const text = readFileSync(join(from, path), 'utf8')
      .replaceAll('__ID__', id)
      .replace(/^language: __LANGUAGE__$/m, languageLines(kind))
      .replaceAll('__LANGUAGE__', kind);
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return files;
};
