// Terminate: the workflow engine ends a workflow without its help, where it does not obey.
import { type Acted, evolve, FREE, KEPT, only, OPEN, type Standing, type Verb, waiting } from './base/verb.ts';

const fields = { reason: { ...waiting.reason, meaning: 'shown beside the end' } } as const;
const refuses = only(...OPEN);

export const terminate = {
  title: 'Terminate',
  brief: 'end a run without its help, where it does not obey stop; what is committed stays',
  group: 'Steer a run',
  fields,
  message: null,
  commandOnly: true,
  grave: true,
  refuses,
  words: ({ run }: Standing) => ({
    what: `The workflow of run ${run} is ended at the workflow engine.`,
    undo: `${KEPT} Resume goes on after the last committed step.`,
    cost: FREE,
  }),
  done: ({ run }: Acted) => `${run}: terminated; what it has committed is kept`,
  next: (run) => `${evolve(`resume ${run}`)} goes on`,
} as const satisfies Verb;

export const sweepTerminate = {
  title: 'Terminate the sweep',
  brief: 'end a sweep without its help, where it does not obey stop; its runs go on',
  group: 'A sweep',
  fields,
  message: null,
  commandOnly: true,
  grave: true,
  refuses,
  words: ({ run }: Standing) => ({
    what: `The workflow of sweep ${run} is ended at the workflow engine.`,
    undo: 'Resume takes its runs up again.',
    cost: FREE,
  }),
  done: ({ run }: Acted) => `${run}: terminated; its runs go on by themselves`,
  next: (sweep) => `${evolve(`sweep resume ${sweep}`)} takes them up again`,
} as const satisfies Verb;
