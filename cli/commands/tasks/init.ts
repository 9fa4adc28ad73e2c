// evolve init: a task and a commented configuration to begin with, in a folder of one's own.
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { UsageError } from '../../../client/connect/errors.ts';
import { taskId, writeScaffold } from '../../../client/tasks/task-folder.ts';
import { act, type Build } from '../../flags/command.ts';
import { answer } from '../../terminal/output.ts';

const FILES = {
  'initial.py': 'the program with which the search begins',
  'evaluator.py': 'what a program is worth',
  'task.yaml': 'what models are told, and limits',
  'run.yaml': 'settings of the search',
};

export const build: Build = (command) =>
  command.argument('[folder]', 'where to write it', '.').action(
    act(async (context, _: object, named: string) => {
      const folder = resolve(named);
      const there = Object.keys(FILES).find((file) => existsSync(join(folder, file)));
      if (there !== undefined)
        throw new UsageError(
          `${folder} has ${there} already: choose another folder, or \`evolve run ${named}\` takes what is there`,
        );
      writeScaffold('bare', taskId(basename(folder)), folder);
      answer(context, { folder, files: Object.keys(FILES) }, () => [
        `made in ${folder}:`,
        ...Object.entries(FILES).map(([file, what]) => `  ${file.padEnd(13)} ${what}`),
        `try it: npx evolve task score ${folder}`,
        `search: npx evolve run --config ${join(folder, 'run.yaml')}`,
      ]);
    }),
  );
