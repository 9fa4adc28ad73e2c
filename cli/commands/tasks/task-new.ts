// evolve task new: a folder with a small task that runs, to be turned into one's own.
import { readdirSync } from 'node:fs';
import { UsageError } from '../../../client/connect/errors.ts';
import { newFolder, type Scaffold, writeScaffold } from '../../../client/tasks/task-folder.ts';
import { type LanguageName, LANGUAGE_NAMES } from '../../../evolution/task/languages.ts';
import { act, type Build } from '../../flags/command.ts';
import { answer } from '../../terminal/output.ts';

type Options = {
  readonly kind: string;
  readonly language?: string;
  readonly into?: string;
  readonly bare?: boolean;
};

const isLanguage = (name: string): name is LanguageName => LANGUAGE_NAMES.some((one) => one === name);

const scaffoldOf = (kind: string, language: string, bare: boolean): Scaffold => {
  if (!isLanguage(language))
    throw new UsageError(`--language: expected one of ${LANGUAGE_NAMES.join(', ')}, got ${JSON.stringify(language)}`);
  if (bare && (kind !== 'solution' || language !== 'python'))
    throw new UsageError('--bare: expected no --kind and no --language, since it makes a solution task in Python');
  if (kind !== 'solution' && kind !== 'function')
    throw new UsageError(`--kind: expected solution or function, got ${JSON.stringify(kind)}`);
  return bare ? 'bare' : language === 'python' ? kind : language;
};

export const build: Build = (command) =>
  command
    .argument('<id>', 'name of the task, in kebab-case')
    .option('--kind <kind>', 'solution: a program hands back data; function: the evaluator calls it', 'solution')
    .option('--language <name>', `of its programs: ${LANGUAGE_NAMES.join(', ')}; the example is a kernel that is timed`)
    .option('--bare', 'an evaluator, a program and a few lines of YAML, without an example to check')
    .option('--into <folder>', "where to make it (default: the project's tasks/)")
    .action(
      act(async (context, { kind: named, language = 'python', into, bare = false }: Options, id: string) => {
        const kind = scaffoldOf(named, language, bare);
        const folder = newFolder(id, into);
        writeScaffold(kind, id, folder);
        const task = into === undefined ? id : folder;
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
