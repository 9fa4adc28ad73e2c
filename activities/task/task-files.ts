// The files that a task is made of, wherever they are: in a folder, or kept with a run (kept-task.ts). Paths are
// relative to the task's folder.
import { readdirSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

export class TaskError extends Error {
  override readonly name = 'TaskError';
}

export type TaskFiles = {
  /** Name of the folder: the task's id. */
  readonly id: string;
  /** A file's path as messages name it. */
  readonly place: (path: string) => string;
  readonly has: (path: string) => boolean;
  /** Throws TaskError where it is not there. */
  readonly text: (path: string) => Promise<string>;
  /** Every path below a folder, relative to it. */
  readonly below: (folder: string) => Promise<readonly string[]>;
};

/** Where a module of tasks/library stands, seen from a folder in tasks/. */
export const libraryPath = (name: string): string => `../library/${name}.py`;
const LIBRARY = /^\.\.\/library\//;

/** `root` holds the shared library, wherever the folder is. */
export const filesIn = (folder: string, root: string): TaskFiles => {
  const place = (path: string): string =>
    LIBRARY.test(path) ? join(root, 'library', path.replace(LIBRARY, '')) : join(folder, path);
  return {
    id: basename(folder),
    place,
    has: (path) => statSync(place(path), { throwIfNoEntry: false }) !== undefined,
    text: (path) =>
      readFile(place(path), 'utf8').catch((error: Error) => {
        throw missing(place(path), error.message, error);
      }),
    below: (path) => readdir(place(path), { recursive: true, encoding: 'utf8' }),
  };
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

const PARTS = ['task.yaml', 'evaluator.py', 'prompts'];

/** Why no task can be in this folder; null where it may hold one. */
export const folderProblem = (folder: string): string | null => {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return `expected the folder of a task, got ${folder}: there is no such folder`;
  if (!found.isDirectory()) return `expected the folder of a task, got ${folder}: that is a file`;
  const there = new Set(readdirSync(folder));
  if (there.has('task.yaml')) return null;
  const lacks = PARTS.filter((name) => !there.has(name));
  return `expected the folder of a task, got ${folder}, which lacks ${lacks.join(', ')}: \`npx evolve task new <id> --into <folder>\` makes one that has everything`;
};
