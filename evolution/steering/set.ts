// Set: other settings from the next step on. The version before stays readable.
import type { Json } from '../types.ts';
import { type Acted, always, type Situation, type Verb } from './base/verb.ts';

export type Changed = { readonly version: number; readonly changed: readonly string[] };

export const set = {
  title: 'Change settings',
  brief: 'change settings of a run, from its next step on; limits and models at once',
  group: 'Steer a run',
  fields: {
    patch: {
      type: 'settings',
      needed: true,
      min: 1,
      meaning: 'settings as in a configuration file, only those that change',
      flag: '<key.path=value...>',
    },
  },
  message: { kind: 'update', examples: [{ patch: { diff: { maxCodeChars: 20_000 } } }] },
  change: ({ patch }: { readonly patch: Json }) => ({ kind: 'set', patch }),
  many: true,
  dry: true,
  refuses: always,
  words: ({ run }: Pick<Situation, 'run'>) => ({
    what: `Run ${run} has these settings from its next step on; limits and models count at once.`,
    undo: 'The version before stays readable, and can be set again.',
    cost: 'It costs nothing by itself; a larger step or a dearer model costs more from then on.',
  }),
  done: ({ run }: Acted, _: object, { version, changed }: Changed) =>
    changed.length === 0
      ? `${run}: the settings have these values already (version ${version})`
      : `${run}: version ${version} of the settings changes ${changed.join(', ')}, from the next step on (limits and models at once)`,
} as const satisfies Verb;
