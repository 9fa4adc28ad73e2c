// The bounds of a task's shaped reward as a layer of settings below all others, so that `reward.kind: shaped` needs no
// numbers. They are read before the task is checked, and what cannot be read is left to that check.
import { isAbsolute, resolve } from 'node:path';
import type { Layer } from '../../evolution/config/problems.ts';
import { readYamlText } from '../../evolution/config/yaml.ts';
import { DEFAULT_TASK } from '../../evolution/methods/defaults.ts';
import { GIVEN_BYTES, readGiven } from '../given-file.ts';
import { TASKS_ROOT } from './load-task.ts';

type Shaping = { readonly lower: number; readonly upper: number; readonly alpha: number; readonly k: number };

/** Null where the task shapes nothing, or cannot be read. */
export const shapingOf = (named: string, root: string = TASKS_ROOT): Shaping | null => {
  if (!isAbsolute(named) && !/^[a-z0-9-]+$/.test(named)) return null;
  const within = resolve(root, named);
  try {
    const read = readYamlText(readGiven(resolve(within, 'task.yaml'), { maxBytes: GIVEN_BYTES.settings, within }));
    return read.kind === 'value' ? ((read.value as { shaping?: Shaping | null }).shaping ?? null) : null;
  } catch {
    return null;
  }
};

/** The shaped reward of the task that these layers name, as a layer; none where the task shapes nothing. */
export const shapingLayer = (layers: readonly Layer[]): readonly Layer[] => {
  const named = layers
    .map(({ settings }) => (settings as { readonly task?: unknown } | null)?.task)
    .findLast((task) => typeof task === 'string') as string | undefined;
  const id = named ?? DEFAULT_TASK;
  const reward = shapingOf(id);
  return reward === null
    ? []
    : [
        {
          settings: { reward },
          where: (path) => `${id.includes('/') ? id : `tasks/${id}`}/task.yaml: shaping.${String(path.at(-1))}`,
        },
      ];
};
