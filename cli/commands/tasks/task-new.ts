// evolve task new: a folder with a small task that runs, to be turned into one's own.
import { UsageError } from '../../../client/connect/errors.ts';
import { newFolder, writeScaffold } from '../../../client/tasks/task-folder.ts';
import { act, type Build } from '../../flags/command.ts';
import { answer } from '../../terminal/output.ts';

type Options = { readonly kind: string; readonly into?: string; readonly bare?: boolean };

export const build: Build = (command) =>
  command
    .argument('<id>', 'name of the task, in kebab-case')
    .option('--kind <kind>', 'solution: a program hands back data; function: the evaluator calls it', 'solution')
    .option('--bare', 'an evaluator, a program and a few lines of YAML, without an example to check')
    .option('--into <folder>', "where to make it (default: the project's tasks/)")
    .action(
      act(async (context, { kind, into, bare = false }: Options, id: string) => {
        if (bare && kind !== 'solution')
          throw new UsageError('--bare: expected no --kind, since it makes a solution task');
        if (kind !== 'solution' && kind !== 'function')
          throw new UsageError(`--kind: expected solution or function, got ${JSON.stringify(kind)}`);
        const folder = newFolder(id, into);
        writeScaffold(bare ? 'bare' : kind, id, folder);
        const named = into === undefined ? id : folder;
        answer(context, { id, kind, folder }, () => [
          `made ${folder}`,
          '  task.yaml     what the engine knows of the task; docs/tasks.md explains every key',
          '  evaluator.py  what a solution is worth',
          '  initial.py    where the search begins',
          `try it:   npx evolve task score ${named}`,
          `check it: npx evolve task check ${named}`,
          `search:   npx evolve run --task ${named}`,
        ]);
      }),
    );
