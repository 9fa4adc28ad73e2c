// evolve task import-openevolve: makes an OpenEvolve example a task that runs isolated, and says what cannot be
// separated.
import { basename, resolve } from 'node:path';
import { importOpenEvolve, writeImported } from '../../../client/tasks/import-openevolve.ts';
import { newFolder } from '../../../client/tasks/task-folder.ts';
import { act, type Build } from '../../flags/command.ts';
import { answer, note } from '../../terminal/output.ts';

type Options = { readonly id?: string; readonly into?: string };

export const build: Build = (command) =>
  command
    .argument('<folder>', 'folder of an OpenEvolve example')
    .option('--id <id>', "name of the task (default: the folder's name)")
    .option('--into <folder>', "where to make it (default: the project's tasks/)")
    .action(
      act(async (context, { id, into }: Options, from: string) => {
        const name =
          id ??
          basename(resolve(from))
            .toLowerCase()
            .replaceAll(/[^a-z0-9]+/g, '-')
            .replaceAll(/^-+|-+$/g, '');
        const folder = newFolder(name, into);
        const imported = importOpenEvolve(from, name);
        writeImported(imported, folder);
        const { entry, notes } = imported;
        for (const [index, text] of context.json ? [] : notes.entries())
          note(`${index === 0 ? 'warning' : 'note'}: ${text}`);
        answer(context, { id: name, folder, entry, notes }, () => [
          `made ${folder}`,
          `try it: npx evolve task baseline ${into === undefined ? name : folder} --times 1`,
        ]);
      }),
    );
