// A task of kind `script`: a person's own evaluator as it stands, with the files that it reads, and the shipped sources
// that call it and take what it gives (activities/sandbox/guest/script).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TaskScript } from '../../evolution/task/task.ts';
import { splitFiles } from '../../evolution/files/program-files.ts';
import { type LanguageName, LANGUAGES } from '../../evolution/task/languages.ts';
import { fits } from '../program-paths.ts';
import { initialFile } from './choice.ts';
import { TaskError, type TaskFiles } from './task-files.ts';
import type { TaskFile } from './task-schema.ts';

const guest = (...names: readonly string[]): string =>
  names
    .map((name) => readFileSync(join(import.meta.dirname, '..', 'sandbox', 'guest', 'script', `${name}.py`), 'utf8'))
    .join('\n');

export const SCRIPT_HARNESS = guest('../values', '../artifacts', 'shape', 'outcome', 'gateway', 'harness');
export const SCRIPT_SCORER = guest('scorer');

/** What no person wrote: values of variables, hidden files, and folders that running something makes. */
const MADE =
  /^\$|(?:^|\/)(?:\.|(?:__pycache__|node_modules|venv|env|runs|results|[a-z]+_output|outputs)(?:\/|$))|\.pyc$/;
export const isMade = (path: string): boolean => MADE.test(path);

/** Files of the task that the system reads, and the evaluator does not. */
const OURS = /^(?:task\.yaml|run\.yaml|requirements\.lock|data\.lock|problem\.md|README\.md|(?:prompts|fixtures)\/.*)$/;
export const isOurs = (path: string): boolean => OURS.test(path);

type Stated = Pick<
  TaskFile,
  'evaluate' | 'language' | 'evaluator' | 'files' | 'add' | 'entry' | 'dataFiles' | 'downloads'
>;

/** The evaluator with the files that task.yaml names for it; without `files` all that a person wrote in the folder. */
export const readScript = async (files: TaskFiles, file: Stated, initial: string): Promise<TaskScript> => {
  const own = splitFiles(initial)?.map(({ name }) => name) ?? [];
  const { file: evaluator, program, shape, function: called } = evaluateOf(file);
  const wanted = await listed(files, file.files);
  const unused = file.files?.find((glob) => !wanted.some((path) => fits(path, glob)));
  if (unused !== undefined)
    throw new TaskError(`${files.place('task.yaml')}: files: expected files of the folder, none is ${unused}`);
  const source = await files.text(evaluator);
  const data = [...file.dataFiles, ...file.downloads.map((one) => one.file)];
  const apart = [evaluator, program, ...own, ...data];
  const others = wanted.filter(
    (path) => !apart.some((other) => path === other || path.startsWith(`${other}/`)) && !path.startsWith('initial/'),
  );
  const texts = await withAdvice(Promise.all(others.map(async (path) => [path, await files.data(path)] as const)));
  return {
    file: evaluator,
    program: own[0] ?? program,
    entry: file.entry ?? entryOf(initial, source),
    files: Object.fromEntries([[evaluator, source], ...texts]),
    ...(file.add === undefined ? {} : { add: file.add }),
    ...(data.length === 0 ? {} : { data }),
    ...(file.evaluator === undefined ? {} : { network: file.evaluator.network }),
    ...(shape === undefined ? {} : { shape }),
    ...(called === undefined ? {} : { function: called }),
  };
};

export const evaluateOf = (
  file: Pick<TaskFile, 'evaluate' | 'language'>,
): NonNullable<TaskFile['evaluate']> & { readonly program: string } => ({
  ...(file.evaluate ?? { file: 'evaluator.py' }),
  program: initialFile(file),
});

const listed = async (files: TaskFiles, globs: readonly string[] | undefined): Promise<readonly string[]> => {
  const all = (await withAdvice(files.below('', isMade))).filter((path) => !isMade(path));
  return all.filter((path) => (globs === undefined ? !isOurs(path) : globs.some((glob) => fits(path, glob))));
};

/** Adds advice to the error of a file that cannot be read, because the evaluator may not need that file. */
const withAdvice = <T>(read: Promise<T>): Promise<T> =>
  read.catch((error: unknown) => {
    if (!(error instanceof TaskError)) throw error;
    throw new TaskError(
      `${error.message}: move what the evaluator does not read out of the folder, or into one whose name begins with a dot, or name in task.yaml what it reads (files: [data.csv])`,
      { cause: error },
    );
  });

/** The program's last function that the evaluator names, else its last one; empty where it has none. */
export const entryOf = (program: string, evaluator: string): string => {
  const defined = [...program.matchAll(/^(?:async\s+)?(?:def|class)\s+([A-Za-z_]\w*)/gm)].map((match) => match[1]!);
  const named = defined.filter((name) => new RegExp(`\\b${name}\\b`).test(evaluator));
  return named.at(-1) ?? defined.at(-1) ?? '';
};

/** Languages whose comments begin with //. */
const SLASHES = /\.(?:c|cc|cpp|cxx|h|hpp|cu|js|mjs|ts|java|go|rs|kt|swift|scala|cs|zig)$/;
const BLOCK = /^[^\S\r\n]*(?:#|\/\/|!)[^\S\r\n]*EVOLVE-BLOCK-START\b/m;
export const hasBlock = (program: string): boolean => BLOCK.test(program);

/**
 * A program without a block may change as a whole. One in another language than Python is put into a block, because the
 * marker tells the language.
 */
export const marked = (path: string, program: string, language: LanguageName = 'python'): string => {
  const { comment } = LANGUAGES[language];
  const sign = language === 'python' && SLASHES.test(path) ? '//' : comment;
  const isBare = language === 'text' || (language === 'python' && sign === '#');
  return isBare ? program : `${sign} EVOLVE-BLOCK-START\n${program.trimEnd()}\n${sign} EVOLVE-BLOCK-END\n`;
};

/** The docstring of a module; empty where it has none. */
export const docstringOf = (source: string): string =>
  /^(?:\s|#.*(?:\n|$))*[rRuU]?("""|''')([\s\S]*?)\1/.exec(source)?.[2]?.trim() ?? '';
