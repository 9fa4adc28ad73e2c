// The files that a task is made of, wherever they are: in a folder, or kept with a run (kept-task.ts). Paths are
// relative to the task's folder.
import { existsSync, lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { taskName } from '../../evolution/task/task.ts';
import { isTaskPath } from '../../evolution/task/task-paths.ts';
import { GIVEN_BYTES, GivenFileError, listGiven, readGiven, readGivenData } from '../given-file.ts';

export class TaskError extends Error {
  override readonly name = 'TaskError';
}

export type TaskFiles = {
  /** Name of the folder: the task's id. */
  readonly id: string;
  /** A file's path as messages name it. */
  readonly place: (path: string) => string;
  readonly has: (path: string) => boolean;
  /** True where task.yaml may name this path. */
  readonly allows: (path: string) => boolean;
  /** Throws TaskError where it is not there, or nothing that a task's file can be. */
  readonly text: (path: string) => Promise<string>;
  /** The same of a file that may be no text: base64 behind NUL where it is none. */
  readonly data: (path: string) => Promise<string>;
  /** Every path below a folder, relative to it; `skip` leaves out a path with all below it. */
  readonly below: (folder: string, skip?: (path: string) => boolean) => Promise<readonly string[]>;
};

/** The place of a module of tasks/library, seen from a folder in tasks/. */
export const libraryPath = (name: string): string => `../library/${name}.py`;
const LIBRARY = /^\.\.\/library\//;

/** The value of an environment variable, as a path: so it is kept with a run as files are. */
export const shellVariable = (name: string): string => `$${name}`;

const valueHere = (file: string, path: string): string => {
  const value = process.env[path.slice(1)];
  if (value === undefined)
    throw new TaskError(`${file}: env: ${path.slice(1)}: expected a value, or a shell that has this variable`);
  return value;
};

/** The most that all files of a task may have together; they are kept in the database. */
const MAX_TASK_BYTES = 4 * GIVEN_BYTES.task;

/** `root` holds the shared library, wherever the folder is. Links may not lead out of either. */
export const filesIn = (folder: string, root: string): TaskFiles => {
  const library = join(root, 'library');
  const place = (path: string): string =>
    LIBRARY.test(path) ? join(library, path.replace(LIBRARY, '')) : join(folder, path);
  let bytes = 0;
  const counted = (path: string, read: () => string): string => {
    const text = given(place(path), read);
    bytes += Buffer.byteLength(text);
    if (bytes > MAX_TASK_BYTES)
      throw new TaskError(
        `${place(path)}: expected files of at most ${MAX_TASK_BYTES} bytes in all, got ${bytes} up to this one`,
      );
    return text;
  };
  return {
    id: taskName(folder),
    place,
    has: (path) => lstatSync(place(path), { throwIfNoEntry: false }) !== undefined,
    allows: isTaskPath,
    async text(path) {
      if (path.startsWith('$')) return valueHere(place('task.yaml'), path);
      const maxBytes = path === 'task.yaml' ? GIVEN_BYTES.settings : GIVEN_BYTES.task;
      const within = LIBRARY.test(path) ? library : folder;
      return counted(path, () => readGiven(place(path), { maxBytes, within }));
    },
    data: async (path) =>
      counted(path, () => readGivenData(place(path), { maxBytes: GIVEN_BYTES.task, within: folder })),
    below: async (path, skip) => given(place(path), () => listGiven(place(path), folder, skip && { skip })),
  };
};

const given = <T>(place: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    throw error instanceof GivenFileError ? missing(place, error.message, error) : error;
  }
};

/** Files that were read before. `whose` stands before their paths in messages. */
export const filesOf = (id: string, texts: ReadonlyMap<string, string>, whose: string): TaskFiles => {
  const place = (path: string): string => `${whose}: ${path}`;
  const below = (folder: string): string[] => {
    const start = folder === '' ? '' : `${folder}/`;
    return [...texts.keys()].filter((path) => path.startsWith(start)).map((path) => path.slice(start.length));
  };
  const text = async (path: string): Promise<string> => {
    const found = texts.get(path);
    if (found === undefined) throw missing(place(path), 'none');
    return found;
  };
  return {
    id,
    place,
    has: (path) => texts.has(path) || below(path).length > 0,
    allows: isTaskPath,
    ...{ text, data: text },
    below: async (folder) => below(folder),
  };
};

/** The same files; what is read of them is noted in `texts`. */
export const noting = (files: TaskFiles, texts: Map<string, string>): TaskFiles => {
  const noted =
    (read: TaskFiles['text']) =>
    async (path: string): Promise<string> => {
      const text = await read(path);
      texts.set(path, text);
      return text;
    };
  return { ...files, text: noted(files.text), data: noted(files.data) };
};

const missing = (place: string, got: string, cause?: Error): TaskError =>
  new TaskError(`${place}: expected this file of the task, got ${got}`, { cause });

const PARTS = ['task.yaml', 'evaluator.py'];

/** The reason for which no task can be in this folder; null where it may hold one. */
export const folderProblem = (folder: string): string | null => {
  if (folder.includes('\0')) return 'expected the folder of a task, got a path with a NUL character in it';
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return `expected the folder of a task, got ${folder}: there is no such folder`;
  if (!found.isDirectory()) return `expected the folder of a task, got ${folder}: that is a file`;
  const lacks = PARTS.filter((name) => !existsSync(join(folder, name)));
  if (!lacks.includes('task.yaml')) return null;
  const way =
    lacks.length === 1
      ? `\`npx evolve task init ${folder}\` makes one of what is there`
      : `\`npx evolve init ${folder}\` writes them to begin with`;
  return `expected the folder of a task, got ${folder}, which lacks ${lacks.join(', ')}: ${way}`;
};
