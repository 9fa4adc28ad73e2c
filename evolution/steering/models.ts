// Models: a further one beside the run's first, so that each request goes to one of all, drawn by weight; or one less.
import { type Acted, always, FREE, type Situation, type Verb } from './base/verb.ts';
import type { Json } from '../types.ts';
import type { Changed } from './set.ts';

export const addModel = {
  title: 'Add a model',
  brief: 'let a run use a further model, at once',
  group: 'Steer a run',
  fields: {
    name: {
      type: 'text',
      needed: true,
      max: 200,
      label: 'Name at its endpoint',
      meaning: 'name of the model at its endpoint; a model that the run has already gets these settings',
      flag: '<name>',
    },
    weight: {
      type: 'number',
      positive: true,
      label: 'Weight',
      meaning: 'share of the requests, relative to the other models (default: 1)',
      flag: '--weight <w>',
    },
    baseUrl: {
      type: 'text',
      orNull: true,
      label: 'Address (empty: that of the first model)',
      meaning: 'its endpoint (default: that of the first model)',
      flag: '--base-url <url>',
    },
  },
  open: true,
  message: { kind: 'update', examples: [{ name: 'some-model', weight: 0.5 }] },
  change: (model: { readonly [key: string]: Json }) => ({ kind: 'add-model', model }),
  refuses: always,
  words: ({ run }: Situation) => ({
    what: `Run ${run} asks this model too, for a part of the requests by its weight. What is left out is as in the first model.`,
    undo: 'The model can be removed; what it was asked for stays.',
    cost: 'Where its name or endpoint differs from that of the first model, its price is that of the list, or unknown.',
  }),
  done: ({ run }: Acted, { name }: { readonly name: string }, { version, changed }: Changed) =>
    changed.length === 0
      ? `${run}: it uses ${name} with these settings already`
      : `${run}: ${name} takes part from the next request on (version ${version} of the settings)`,
} as const satisfies Verb;

export const removeModel = {
  title: 'Remove a model',
  brief: 'let a run no longer use one of its models; the last one stays',
  group: 'Steer a run',
  fields: {
    name: {
      type: 'text',
      needed: true,
      max: 200,
      label: 'Name',
      meaning: 'name of the model, as in `evolve settings`',
      flag: '<name>',
    },
  },
  message: { kind: 'update', examples: [{ name: 'some-model' }] },
  change: ({ name }: { readonly name: string }) => ({ kind: 'remove-model', name }),
  refuses: always,
  words: ({ run }: Situation) => ({
    what: `Run ${run} asks this model no more.`,
    undo: 'The model can be added again.',
    cost: FREE,
  }),
  done: ({ run }: Acted, { name }: { readonly name: string }, { version }: Changed) =>
    `${run}: ${name} gets no more requests (version ${version} of the settings)`,
} as const satisfies Verb;
