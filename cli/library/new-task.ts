// Makes the folder of a new task from cli/scaffold: a small problem that runs and passes its check, to be replaced part by part.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError } from './errors.ts';
import { TASKS } from './task-folder.ts';

const SCAFFOLD = join(import.meta.dirname, '..', 'scaffold');
const ID = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** The folder for a new task of this id, which must not be there yet. Throws UsageError. */
export const newFolder = (id: string, into: string | undefined): string => {
  if (!ID.test(id)) throw new UsageError(`expected an id in kebab-case such as my-problem-12, got ${JSON.stringify(id)}`);
  const folder = join(into === undefined ? TASKS : resolve(into), id);
  if (existsSync(folder)) throw new UsageError(`${folder} is there already: choose another id, or remove it`);
  return folder;
};

export const writeScaffold = (kind: 'solution' | 'function', id: string, folder: string): void => {
  mkdirSync(folder, { recursive: true });
  cpSync(join(SCAFFOLD, kind), folder, { recursive: true });
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, file);
    if (!statSync(path).isFile()) continue;
    const text = readFileSync(path, 'utf8');
    if (text.includes('__ID__')) writeFileSync(path, text.replaceAll('__ID__', id));
  }
};
