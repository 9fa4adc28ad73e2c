// evolve task new: a folder with a small task that runs, to be turned into one's own.
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../../../client/connect/errors.ts';
import { newFolder, type Scaffold, TASKS, writeScaffold } from '../../../client/tasks/task-folder.ts';
import { type LanguageName, LANGUAGE_NAMES } from '../../../evolution/task/languages.ts';
import { act, type Build } from '../../flags/command.ts';
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

export const build: Build = (command) =>
  command
    .argument('<id>', 'name of the task, in kebab-case')
    .option('--kind <kind>', 'solution: a program hands back data; function: the evaluator calls it', 'solution')
    .option('--language <name>', `of its programs: ${LANGUAGE_NAMES.join(', ')}; the example is a kernel that is timed`)
    .option('--into <folder>', 'where to make it (default: this folder; in the clone its tasks/)')
    .action(
      act(async (context, { kind: named, language = 'python', into }: Options, id: string) => {
        const kind = scaffoldOf(named, language);
        const folder = newFolder(id, into);
        writeScaffold(kind, id, folder);
        const task = dirname(folder) === TASKS ? id : folder;
        const initial = readdirSync(folder).find((name) => name.startsWith('initial.'))!;
        answer(context, { id, kind: named, language, folder }, () => [
          `made ${folder}`,
          '  task.yaml     what the engine knows of the task; docs/tasks.md explains every key',
          '  evaluator.py  what a program is worth',
          `  ${initial.padEnd(12)}  where the search begins`,
          `try it:   npx evolve task score ${task}`,
          `check it: npx evolve task check ${task}`,
          `search:   npx evolve run --task ${task}`,
        ]);
      }),
    );
