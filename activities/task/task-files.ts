// The files that a task is made of, wherever they are: in a folder, or kept with a run (kept-task.ts). Paths are
// relative to the task's folder.
import { existsSync, lstatSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isTaskPath } from '../../evolution/task-paths.ts';
import { GIVEN_BYTES, GivenFileError, listGiven, readGiven } from '../given-file.ts';

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
  /** Every path below a folder, relative to it. */
  readonly below: (folder: string) => Promise<readonly string[]>;
};

/** The place of a module of tasks/library, seen from a folder in tasks/. */
export const libraryPath = (name: string): string => `../library/${name}.py`;
const LIBRARY = /^\.\.\/library\//;

/** The most that all files of a task may have together; they are kept in the database. */
const MAX_TASK_BYTES = 4 * GIVEN_BYTES.task;

/** `root` holds the shared library, wherever the folder is. Links may not lead out of either. */
export const filesIn = (folder: string, root: string): TaskFiles => {
  const library = join(root, 'library');
  const place = (path: string): string =>
    LIBRARY.test(path) ? join(library, path.replace(LIBRARY, '')) : join(folder, path);
  let bytes = 0;
  return {
    id: basename(folder),
    place,
    has: (path) => lstatSync(place(path), { throwIfNoEntry: false }) !== undefined,
    allows: isTaskPath,
    async text(path) {
      const maxBytes = path === 'task.yaml' ? GIVEN_BYTES.settings : GIVEN_BYTES.task;
      const text = given(place(path), () =>
        readGiven(place(path), { maxBytes, within: LIBRARY.test(path) ? library : folder }),
      );
      bytes += Buffer.byteLength(text);
      if (bytes > MAX_TASK_BYTES)
        throw new TaskError(
          `${place(path)}: expected files of at most ${MAX_TASK_BYTES} bytes in all, got ${bytes} up to this one`,
        );
      return text;
    },
    below: async (path) => given(place(path), () => listGiven(place(path), folder)),
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
  const below = (folder: string): string[] =>
    [...texts.keys()].filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1));
  return {
    id,
    place,
    has: (path) => texts.has(path) || below(path).length > 0,
    allows: isTaskPath,
    async text(path) {
      const text = texts.get(path);
      if (text === undefined) throw missing(place(path), 'none');
      return text;
    },
    below: async (folder) => below(folder),
  };
};

/** The same files; what is read of them is noted in `texts`. */
export const noting = (files: TaskFiles, texts: Map<string, string>): TaskFiles => ({
  ...files,
  async text(path) {
    const text = await files.text(path);
    texts.set(path, text);
    return text;
  },
});

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
  return `expected the folder of a task, got ${folder}, which lacks ${lacks.join(', ')}: \`npx evolve task new <id> --into <folder>\` makes one that has everything`;
};
