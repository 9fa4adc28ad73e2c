// Rewind: committed steps are done again. What they made is superseded, never deleted.
import { type Acted, committed, evolve, resample, type Situation, type Verb } from '../base/verb.ts';

type Body = { readonly toStep: number; readonly resample?: boolean };

export const rewind = {
  title: 'Rewind',
  brief: 'do committed steps of a run again; the old ones are kept, marked as superseded',
  group: 'Do again',
  fields: {
    toStep: {
      type: 'whole',
      needed: true,
      min: 0,
      label: 'First step that is done again',
      meaning: 'this step and all later ones are done again; 0 while no program is valid',
      flag: '--to-step <n>',
    },
    resample,
  },
  message: { kind: 'update', examples: [{ toStep: 5 }, { toStep: 5, resample: true }] },
  grave: true,
  refuses: (now: Situation) =>
    now.steps > 0 || (now.best === null && committed(now)) ? null : 'it has no committed step to do again',
  words: ({ run }: Situation) => ({
    what: `Run ${run} goes back: this step and all later ones are done again.`,
    undo: 'What they made is set aside, stays stored and stays paid; it does not come back into the run. A fork keeps a copy.',
    cost: 'Stored answers are used again and cost nothing. Asking the model afresh pays for those steps again.',
  }),
  done: ({ run }: Acted, { toStep, resample: afresh }: Body, _: { readonly opened: boolean }) =>
    `${run}: goes on with step ${toStep}${afresh ? ', asking the model afresh' : ''}; what was rewound stays stored`,
  next: (run) => `${evolve(`steps ${run} --all`)} lists it`,
} as const satisfies Verb;
