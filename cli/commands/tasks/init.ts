// evolve init: a task and a commented configuration to begin with, in a folder of one's own.
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { UsageError } from '../../../client/connect/errors.ts';
import { taskId } from '../../../client/tasks/task-folder.ts';
import { act, type Build } from '../../flags/command.ts';
import { FILES, made } from './task-new.ts';

export const build: Build = (command) =>
  command.argument('[folder]', 'where to write it', '.').action(
    act(async (context, _: object, named: string) => {
      const folder = resolve(named);
      const there = Object.keys(FILES).find((file) => existsSync(join(folder, file)));
      if (there !== undefined)
        throw new UsageError(
          `${folder} has ${there} already: choose another folder, or \`evolve run ${named}\` takes what is there`,
        );
      made(context, 'bare', taskId(basename(folder)), folder);
    }),
  );
