// The bounds of a task's shaped reward as a layer of settings below all others: `reward.kind: shaped` needs no numbers
// then. Read before the task is checked, so what cannot be read is left to that check.
import { readFileSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { parse } from 'yaml';
import { TASKS_ROOT } from './load-task.ts';

type Shaping = { readonly lower: number; readonly upper: number; readonly alpha: number; readonly k: number };

/** Null where the task shapes nothing, or cannot be read. */
export const shapingOf = (named: string, root: string = TASKS_ROOT): Shaping | null => {
  if (!isAbsolute(named) && !/^[a-z0-9-]+$/.test(named)) return null;
  try {
    const { shaping } = parse(readFileSync(resolve(root, named, 'task.yaml'), 'utf8')) as { shaping?: Shaping | null };
    return shaping ?? null;
  } catch {
    return null;
  }
};
