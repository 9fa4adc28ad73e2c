// Fork: a new run goes on after a committed step of another and refers to what it inherits.
import { type Acted, committed, type Situation, type Verb } from '../base/verb.ts';

export const fork = {
  title: 'Fork',
  brief: 'begin a new run after a step of another, and watch it',
  group: 'Do again',
  fields: {
    step: {
      type: 'whole',
      needed: true,
      min: 0,
      label: 'It goes on after step',
      meaning: 'the committed step after which the new run goes on',
      flag: '--at-step <n>',
    },
    as: {
      type: 'text',
      pattern: /^[a-z0-9-]{1,60}$/,
      expected: '1 to 60 of the characters a-z, 0-9 and -',
      label: 'Id of the new run (optional)',
      help: '',
      meaning: 'id of the new run (default: one is chosen)',
      flag: '--run <id>',
    },
    set: { type: 'settings', meaning: 'settings that differ from those of the other run', flag: '--set <key=value>' },
    yaml: {
      type: 'long-text',
      max: 200_000,
      label: 'Settings that differ, as YAML (optional)',
      help: 'a file above fills this field',
      meaning: 'the same as the text of a file in YAML or JSON, in place of the mapping',
      flag: '--config <file>',
      file: 'fork.yaml',
    },
  },
  message: null,
  alsoFlag: '--detach',
  refuses: (now: Situation) => (committed(now) ? null : 'it has committed no step'),
  words: ({ run }: Situation) => ({
    what: `A new run begins that goes on after this step of run ${run}, with the settings that run ${run} has now, its hints and its seed among them. With the same seed, what chance decides and what a model answers may come out as in run ${run}: give another below to see it go otherwise. Run ${run} stays as it is.`,
    undo: 'The new run can be stopped; nothing else is changed.',
    cost: 'What it inherits is not paid again. From there on it spends up to its own limits.',
  }),
  done: ({ run }: Acted, { step }: { readonly step: number }, { fork: id }: { readonly fork: string }) =>
    `run ${id} goes on after step ${step} of ${run}, which stays as it is`,
} as const satisfies Verb;
