// Hint: a text to the model, in the prompts of one island or of all until it is removed.
import type { Changed } from './set.ts';
import { type Acted, always, island, type Situation, type Verb } from './base/verb.ts';

type Body = { readonly hint: string | null; readonly island?: number | null };

export const hint = {
  title: 'Give a hint',
  brief: 'put a hint into the prompts of a run, from its next step on',
  group: 'Steer a run',
  fields: {
    hint: {
      type: 'long-text',
      needed: true,
      orNull: true,
      max: 2_000,
      label: 'Hint to the model',
      help: '',
      meaning: 'the hint; null removes it',
      flag: '[text]',
    },
    island: { ...island, meaning: 'only in the prompts of this island, from 0 on' },
  },
  message: {
    kind: 'update',
    examples: [{ hint: 'try a hexagonal start', island: 0 }, { hint: null }],
  },
  change: ({ hint: text, island: at = null }: Body) => ({ kind: 'hint', island: at, hint: text }),
  refuses: always,
  words: ({ run }: Situation) => ({
    what: `The hint stands in the prompts of run ${run} from its next step on, until it is removed.`,
    undo: 'It can be replaced or removed; what was made under it stays.',
    cost: 'Each prompt becomes as much longer.',
  }),
  done: ({ run }: Acted, { hint: text, island: at }: Body, { version }: Changed) =>
    `${run}: the hint for ${(at ?? null) === null ? 'all islands' : `island ${at}`} is ${text === null ? 'removed' : 'in the prompts'} from the next step on (version ${version} of the settings)`,
} as const satisfies Verb;
