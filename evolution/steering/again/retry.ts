// Retry: what is parked is tried again now, with the key that is in the environment.
import { type Acted, evolve, parked, resample, type Situation, type Verb } from '../base/verb.ts';

export const retry = {
  title: 'Try again',
  brief: 'let a run that needs attention try again now',
  group: 'Do again',
  fields: { resample },
  message: { kind: 'signal', examples: [{}, { resample: true }] },
  many: true,
  rank: 1,
  refuses: (now: Situation) => (parked(now) ? null : `nothing is parked, it is ${now.state}`),
  words: ({ run }: Situation) => ({
    what: `Run ${run} tries the step that needs attention again now.`,
    undo: 'There is nothing to undo.',
    cost: 'What is stored is used again. Asking the model afresh pays for the answers of this step again.',
  }),
  done: (
    { run }: Acted,
    { resample: afresh }: { readonly resample?: boolean },
    { keyRefreshed }: { readonly keyRefreshed: boolean },
  ) =>
    `${run}: tries again now${afresh ? ', asking the model again' : ''}${keyRefreshed ? ', with the key from OPENAI_API_KEY' : ''}`,
  next: (run) => `${evolve(`watch ${run}`)} shows it`,
} as const satisfies Verb;
