// A repository as the candidate (kind `script`): the files that may change are one text, and all others are there to read
// and to run.
import { headedBy, joinFiles, MAX_PROGRAM_FILES, splitFiles } from '../../evolution/files/program-files.ts';
import { fenced } from '../../evolution/prompts/parts/sections.ts';
import { fits, isGuarded } from '../program-paths.ts';
import { isMade, isOurs } from './script.ts';
import { TaskError, type TaskFiles } from './task-files.ts';
import type { TaskFile } from './task-schema.ts';

/** The folder's files that a person wrote, in order. */
const pathsOf = async (files: TaskFiles): Promise<readonly string[]> =>
  (await files.below('', isMade)).filter((path) => !isMade(path));

/** The files that may change, the one that the evaluator gets first. */
export const changeable = async (files: TaskFiles, { change = [], evaluate }: TaskFile): Promise<readonly string[]> => {
  const found = (await pathsOf(files)).filter((path) => change.some((glob) => fits(path, glob)));
  return found.toSorted((a, b) => Number(b === evaluate?.program) - Number(a === evaluate?.program));
};

type Broken = readonly [path: readonly (string | number)[], problem: string];

/** What is wrong with the globs of task.yaml. */
export const wrongGlobs = async (files: TaskFiles, file: TaskFile): Promise<readonly Broken[]> => {
  const { change = [], show = [], evaluate, dataFiles, downloads } = file;
  const paths = await pathsOf(files);
  const evaluator = evaluate?.file ?? 'evaluator.py';
  const data = [...dataFiles, ...downloads.map((one) => one.file)];
  const stays = (path: string): boolean =>
    path === evaluator || isOurs(path) || isGuarded(path) || data.some((one) => fits(path, one));
  const found = (glob: string): readonly string[] => paths.filter((path) => fits(path, glob));
  const none = (key: string, globs: readonly string[]): readonly Broken[] =>
    globs.flatMap((glob, index) =>
      found(glob).length === 0 ? [[[key, index], `expected files of the folder, none is ${glob}`] as const] : [],
    );
  const all = new Set(change.flatMap(found));
  return [
    ...none('change', change),
    ...none('show', show),
    ...change.flatMap((glob, index) => {
      const [first, ...more] = found(glob).filter(stays);
      return first === undefined
        ? []
        : [
            [
              ['change', index],
              `expected files that may change, got ${found(glob).length} by ${glob}, with ${[first, ...more].slice(0, 5).join(', ')}${more.length > 4 ? ' and others' : ''}: the evaluator, tests and their settings, data and task.yaml stay as they are`,
            ] as const,
          ];
    }),
    ...(all.size > MAX_PROGRAM_FILES
      ? [[['change'], `expected at most ${MAX_PROGRAM_FILES} files, got ${all.size}`] as const]
      : []),
    ...(evaluate?.program !== undefined && all.size > 0 && !all.has(evaluate.program)
      ? [[['evaluate', 'program'], `expected one of the files that may change, got ${evaluate.program}`] as const]
      : []),
  ];
};

/** The files that may change as one text. */
export const readRepository = async (files: TaskFiles, file: TaskFile): Promise<string> => {
  const read = await Promise.all(
    (await changeable(files, file)).map(async (name) => ({ name, text: await files.data(name) })),
  );
  for (const { name, text } of read) {
    const wrong = text.startsWith('\0')
      ? ': expected UTF-8 text without a byte order mark, because models change this file'
      : wrongLine(text);
    if (wrong !== null) throw new TaskError(`${files.place(name)}${wrong}`);
  }
  const joined = joinFiles(read);
  if (splitFiles(joined) === null)
    throw new TaskError(`${files.place('task.yaml')}: change: expected paths without control characters and "\\"`);
  return joined;
};

const wrongLine = (text: string): string | null => {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.includes('\r') || headedBy(line) !== null);
  if (at < 0) return null;
  return lines[at]!.includes('\r')
    ? `:${at + 1}: expected lines that end with "\\n", got "\\r"`
    : `:${at + 1}: expected no line that names a file as ours do, got ${JSON.stringify(lines[at]!.slice(0, 100))}`;
};

const MOST_NAMED = 60;

/** What prompts say of the other files of a repository, and those that they show. */
export const filesSection = async (
  files: TaskFiles,
  { show = [], add = [] }: TaskFile,
  { own, others }: { readonly own: readonly string[]; readonly others: readonly string[] },
): Promise<string> => {
  const shown = (await pathsOf(files)).filter((path) => !own.includes(path) && show.some((glob) => fits(path, glob)));
  const texts = await Promise.all(
    shown.map(async (path) => {
      const text = await files.data(path);
      if (text.startsWith('\0')) throw new TaskError(`${files.place(path)}: expected text, because show names it`);
      return `\`${path}\`, which stays as it is:\n\n${fenced(text, '')}`;
    }),
  );
  const more = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : '';
  return [
    `The program is a part of a repository. These files may change: ${own.join(', ')}. ${add.length === 0 ? 'No file can be added.' : `New files may be added that fit ${add.join(', ')}, in Python under names that no installed module has.`} All others are there to import and to read, and stay as they are: ${others.slice(0, MOST_NAMED).join(', ')}${more}.`,
    ...texts,
  ].join('\n\n');
};
