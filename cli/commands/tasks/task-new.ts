// evolve task new: a folder with a small task that runs, to be turned into one's own.
import { dirname, join } from 'node:path';
import { UsageError } from '../../../client/connect/errors.ts';
import { newFolder, type Scaffold, TASKS, writeScaffold } from '../../../client/tasks/task-folder.ts';
import { type LanguageName, LANGUAGE_NAMES } from '../../../evolution/task/languages.ts';
import { act, type Build, type Context } from '../../flags/command.ts';
import { answer } from '../../terminal/output.ts';

type Options = {
  readonly kind: string;
  readonly language?: string;
  readonly into?: string;
};

const isLanguage = (name: string): name is LanguageName => LANGUAGE_NAMES.some((one) => one === name);

const scaffoldOf = (kind: string, language: string): Scaffold => {
  if (!isLanguage(language))
    throw new UsageError(`--language: expected one of ${LANGUAGE_NAMES.join(', ')}, got ${JSON.stringify(language)}`);
  if (kind !== 'solution' && kind !== 'function')
    throw new UsageError(`--kind: expected solution or function, got ${JSON.stringify(kind)}`);
  return language === 'python' ? kind : language;
};

/** What the files of a task are, by their names. */
export const FILES: { readonly [file: string]: string } = {
  'initial.py': 'the program with which the search begins',
  'evaluator.py': 'what a program is worth',
  'task.yaml': 'what the engine and models know of the task; docs/tasks.md explains every key',
  'run.yaml': 'settings of the search',
};

/** Writes an example, and says what it is and what comes next. */
export const made = (context: Context, scaffold: Scaffold, id: string, folder: string): void => {
  const files = writeScaffold(scaffold, id, folder);
  const task = dirname(folder) === TASKS ? id : folder;
  const run = files.includes('run.yaml') ? `--config ${join(folder, 'run.yaml')}` : `--task ${task}`;
  answer(context, { id, folder, files }, () => [
    `made ${folder}`,
    ...files.flatMap((file) => {
      const what = FILES[file.replace(/^initial\.\w+$/, 'initial.py')];
      return what === undefined ? [] : [`  ${file.padEnd(13)} ${what}`];
    }),
    `try it:   npx evolve task score ${task}`,
    `check it: npx evolve task check ${task}`,
    `search:   npx evolve run ${run}`,
  ]);
};

export const build: Build = (command) =>
  command
    .argument('<id>', 'name of the task, in kebab-case')
    .option('--kind <kind>', 'solution: a program hands back data; function: the evaluator calls it', 'solution')
    .option('--language <name>', `of its programs: ${LANGUAGE_NAMES.join(', ')}; the example is a kernel that is timed`)
    .option('--into <folder>', 'where to make it (default: this folder; in the clone its tasks/)')
    .action(
      act(async (context, { kind, language = 'python', into }: Options, id: string) =>
        made(context, scaffoldOf(kind, language), id, newFolder(id, into)),
      ),
    );
