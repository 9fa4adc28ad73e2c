// evolve task new: a folder with a small task that runs, to be turned into one's own.
import { UsageError } from '../../../client/connect/errors.ts';
import { newFolder, writeScaffold } from '../../../client/tasks/task-folder.ts';
import { act, describe } from '../../flags/command.ts';
import { json, line } from '../../terminal/output.ts';

type Options = { readonly json?: boolean; readonly kind: string; readonly into?: string };

export const taskNewCommand = () =>
  describe('new', 'make the folder of a new task, with an example that passes its check')
    .argument('<id>', 'name of the task, in kebab-case')
    .option('--kind <kind>', 'solution: a program hands back data; function: the evaluator calls it', 'solution')
    .option('--into <folder>', "where to make it (default: the project's tasks/)")
    .action(
      act(async (context, { kind, into }: Options, id: string) => {
        if (kind !== 'solution' && kind !== 'function')
          throw new UsageError(`--kind: expected solution or function, got ${JSON.stringify(kind)}`);
        const folder = newFolder(id, into);
        writeScaffold(kind, id, folder);
        if (context.json) return json({ id, kind, folder });
        line(`made ${folder}`);
        line(`  task.yaml     what the engine knows of the task; docs/tasks.md explains every key`);
        line(`  evaluator.py  what a solution is worth`);
        line(`  initial.py    where the search begins`);
        line(`check it: npx evolve task check ${into === undefined ? id : folder}`);
        line(`search:   npx evolve run --task ${into === undefined ? id : folder}`);
      }),
    );
