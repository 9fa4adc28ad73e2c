// Reads and checks a task folder.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { joinFiles, splitFiles } from '../../evolution/edits/language.ts';
import type { Task } from '../../evolution/task.ts';
import type { Json } from '../../evolution/types.ts';
import { fillPlaceholders, readTemplates, readYaml, shown, TaskError } from './reading.ts';
import { type TaskFile, taskSchema } from './task-schema.ts';
import { sha256 } from '../sha256.ts';
import { canonicalJson } from '../../evolution/canonical-json.ts';

export { TaskError };

export const TASKS_ROOT = join(import.meta.dirname, '..', '..', 'tasks');
const MIB = 1024 * 1024;

/** Ids of the tasks that can be loaded: the folders that hold a task.yaml. */
export const listTasks = async (root: string = TASKS_ROOT): Promise<readonly string[]> =>
  (await readdir(root, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && existsSync(join(root, entry.name, 'task.yaml')))
    .map((entry) => entry.name)
    .sort();

const readText = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new TaskError(`${file}: expected this file of the task, got ${(error as Error).message}`, { cause: error });
  }
};

const placeholderValues = (file: TaskFile): { [name: string]: string } => {
  const { title, entry, scoreName, direction, limits, instance, values } = file;
  const all = {
    title,
    entry,
    scoreName,
    direction,
    cpuSeconds: limits.cpuSeconds,
    wallSeconds: limits.wallSeconds,
    memoryMiB: limits.memoryMiB,
    ...instance,
    ...values,
  };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, shown(value)]));
};

const readPrompts = async (folder: string, file: TaskFile): Promise<Task['prompts']> => {
  const total = file.prompts.reduce((sum, { weight }) => sum + weight, 0);
  if (Math.abs(total - 1) > 1e-9)
    throw new TaskError(`${join(folder, 'task.yaml')}: prompts: expected weights that sum to 1, got ${shown(total)}`);
  const values = placeholderValues(file);
  return Promise.all(
    file.prompts.map(async ({ name, weight, file: part }) => {
      const path = join(folder, part);
      const text = await readText(path);
      try {
        return { name, weight, text: fillPlaceholders(text, values).trim() };
      } catch (error) {
        throw new TaskError(`${path}:${(error as Error).message}`, { cause: error });
      }
    }),
  );
};

const checkBlock = (path: string, source: string): void => {
  const start = source.search(/^\s*(?:#|\/\/) EVOLVE-BLOCK-START\s*$/m);
  const end = source.search(/^\s*(?:#|\/\/) EVOLVE-BLOCK-END\s*$/m);
  if (start < 0 || end < start)
    throw new TaskError(
      `${path}: expected a line "# EVOLVE-BLOCK-START" (or with //) and after it "# EVOLVE-BLOCK-END"`,
    );
};

/**
 * What decides a score. A task without library, harness and hidden keys has the digest that it had before these
 * existed.
 */
const digestOf = (file: TaskFile, { evaluatorSource, library, harness }: Sources): string => {
  const more =
    library.length > 0 || harness !== undefined || Object.keys(file.hidden).length > 0 || file.runtime
      ? [library, harness ?? null, file.hidden, ...(file.runtime ? [file.runtime] : [])]
      : [];
  return sha256(canonicalJson([evaluatorSource, file.instance, file.version, ...more]));
};

type Sources = {
  readonly evaluatorSource: string;
  readonly library: NonNullable<Task['library']>;
  readonly harness: string | undefined;
};

const readSources = async (root: string, folder: string, { kind, library }: TaskFile): Promise<Sources> => {
  const harness = join(folder, 'harness.py');
  if (existsSync(harness) && kind !== 'function')
    throw new TaskError(`${harness}: expected a harness in tasks of kind: function only`);
  return {
    evaluatorSource: await readText(join(folder, 'evaluator.py')),
    library: await Promise.all(
      library.map(async (name) => ({ name, source: await readText(join(root, 'library', `${name}.py`)) })),
    ),
    harness: existsSync(harness) ? await readText(harness) : undefined,
  };
};

const RUNNER = join(import.meta.dirname, '..', 'sandbox', 'guest', 'runner.mjs');

const readRuntime = async (folder: string, path: string, { runtime, kind }: TaskFile): Promise<Task['runtime']> => {
  if (runtime === undefined) return undefined;
  if (kind === 'function')
    throw new TaskError(`${path}: runtime: expected kind: solution, a function task calls programs in Python only`);
  const { language, image, command, runner } = runtime;
  return { language, image, command, runner: await readText(runner === undefined ? RUNNER : join(folder, runner)) };
};

/**
 * One file, or the files of the folder `initial`, main.py first: then the program is all of them in one text
 * (evolution/program-files.ts).
 */
const readInitial = async (folder: string, path: string): Promise<string> => {
  const several = join(folder, 'initial');
  if (!existsSync(several)) return readText(path);
  if (existsSync(path)) throw new TaskError(`${path}: expected this file or the folder ${several}, got both`);
  const names = (await readdir(several, { recursive: true, encoding: 'utf8' }))
    .filter((name) => name.endsWith('.py'))
    .sort();
  if (!names.includes('main.py'))
    throw new TaskError(`${several}: expected a file main.py, got ${names.join(', ') || 'none'}`);
  const ordered = ['main.py', ...names.filter((name) => name !== 'main.py')];
  const text = joinFiles(
    await Promise.all(ordered.map(async (name) => ({ name, text: await readText(join(several, name)) }))),
  );
  const wrong = ordered.find((name) => !splitFiles(text)!.some((file) => file.name === name));
  if (wrong !== undefined)
    throw new TaskError(`${join(several, wrong)}: expected a name of letters, digits and _ in every part`);
  return text;
};

/** Where the folder is found, and what is in it, must be one task. */
const checkId = (id: string, path: string, file: TaskFile): void => {
  if (file.id !== undefined && file.id !== id)
    throw new TaskError(`${path}: id: expected the name of the folder, ${id}, got ${file.id}`);
};

/** Throws TaskError: file, line and key of what is wrong, or the known ids when there is no such task. */
export const loadTask = async (id: string, root: string = TASKS_ROOT): Promise<Task> => {
  const known = await listTasks(root);
  if (!known.includes(id))
    throw new TaskError(`unknown task ${JSON.stringify(id)}: expected one of ${known.join(', ')}`);
  return readTask(join(root, id), root);
};

/** The task of a folder, wherever it is; `root` holds the shared library. */
export const readTask = async (folder: string, root: string = TASKS_ROOT): Promise<Task> => {
  const id = basename(folder);
  const path = join(folder, 'task.yaml');
  const file = await readYaml(path, taskSchema);
  checkId(id, path, file);
  const runtime = await readRuntime(folder, path, file);
  const initialPath = join(folder, file.runtime?.initial ?? 'initial.py');
  const [initialProgram, sources, prompts] = await Promise.all([
    readInitial(folder, initialPath),
    readSources(root, folder, file),
    readPrompts(folder, file),
  ]);
  checkBlock(initialPath, initialProgram);
  const templates = await readTemplates(folder, file);
  const { title, version, kind, direction, entry, scoreName, picture, limits, hidden, smoke, shaping, bound, initial } =
    file;
  return {
    id,
    title,
    version,
    kind,
    direction,
    entry,
    scoreName,
    picture,
    prompts,
    initialProgram,
    evaluatorSource: sources.evaluatorSource,
    papers: file.papers,
    features: file.features,
    timed: file.timed,
    suspectGain: file.suspectGain,
    library: sources.library,
    references: file.references.map(present) as Task['references'],
    hidden: hidden as Instance,
    smoke: smoke as Instance,
    instance: file.instance as Instance,
    ...(present({
      templates,
      bound,
      runtime,
      initial: initial && present(initial),
      harness: sources.harness,
      shaping: shaping ?? undefined,
    }) as Partial<Task>),
    limits: {
      cpuSeconds: limits.cpuSeconds,
      wallSeconds: limits.wallSeconds,
      memoryBytes: limits.memoryMiB * MIB,
      outputBytes: Math.round(limits.outputMiB * MIB),
      pids: limits.pids,
    },
    evaluatorDigest: digestOf(file, sources),
  };
};

type Instance = { readonly [key: string]: Json };

/** Without the keys that have no value. */
const present = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined));
