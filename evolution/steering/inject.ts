// Inject: a person's program becomes a candidate of the next step.
import { type Acted, always, island, type Situation, type Verb } from './base/verb.ts';

/** The longest program that a message carries; the run's own limit is checked when the program is stored. */
const LONGEST_PROGRAM = 1_500_000;

export const inject = {
  title: 'Inject a program',
  brief: 'put a program into an island; it is a candidate of the next step',
  group: 'Steer a run',
  fields: {
    program: {
      type: 'long-text',
      needed: true,
      max: LONGEST_PROGRAM,
      label: 'or its text',
      meaning: 'the whole program, with its EVOLVE-BLOCK lines',
      flag: '<file>',
      file: 'program.py',
    },
    island: { ...island, label: 'Island (empty: 0)', meaning: 'into this island, from 0 on (default: 0)' },
  },
  message: { kind: 'update', examples: [{ program: '...', island: 1 }] },
  refuses: always,
  words: ({ run }: Situation) => ({
    what: `The program becomes a candidate of the next step of run ${run}, after those of the model. The same program goes into an island once.`,
    undo: 'A program that a step took stays, as all others do; a rewind sets the step aside.',
    cost: 'It is evaluated once. No model is asked for it.',
  }),
  done: (
    { run }: Acted,
    { island: at = 0 }: { readonly island?: number },
    { injected }: { readonly injected: string | null },
  ) => `${run}: the program goes into island ${at} with the next step (${injected})`,
} as const satisfies Verb;
