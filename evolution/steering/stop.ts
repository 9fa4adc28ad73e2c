// Stop: a run ends and writes its files, a sweep with all its runs. Everything made stays; resume continues it.
import {
  type Acted,
  endingOf,
  endingOfSweep,
  evolve,
  FREE,
  KEPT,
  only,
  OPEN,
  type Situation,
  type Standing,
  type Verb,
  type Waiting,
  waiting,
} from './base/verb.ts';

const refuses = only(...OPEN);
const undo = `${KEPT} Resume continues it later.`;
const message = {
  kind: 'signal',
  examples: [{ mode: 'step' }, { mode: 'now', reason: 'the score is good enough' }],
} as const;

export const stop = {
  title: 'Stop',
  brief: 'end a run after its current step, or at once; one that is not open yet ends at once',
  group: 'Steer a run',
  fields: {
    ...waiting,
    reason: { ...waiting.reason, meaning: 'stored with the run' },
    /** A sweep that stops its runs with itself, so that they go on when it does. People leave it out. */
    sweep: { type: 'text', max: 60, meaning: 'the sweep that stops its runs with itself; for workflows' },
  },
  message,
  many: true,
  rank: 4,
  grave: true,
  halts: true,
  refuses,
  words: (now: Situation) => ({
    what: `Run ${now.run} ends ${endingOf(now)}, or at once, and writes its files.`,
    undo,
    cost: FREE,
  }),
  done: (now: Acted, body: Waiting) => `${now.run}: stops ${endingOf(now, body)}`,
  next: (run) => `${evolve(`resume ${run}`)} continues it later`,
} as const satisfies Verb;

export const sweepStop = {
  title: 'Stop the sweep',
  brief: 'end a sweep with all its runs that are alive',
  group: 'A sweep',
  fields: { ...waiting, reason: { ...waiting.reason, meaning: 'stored with the sweep and its runs' } },
  message,
  grave: true,
  halts: true,
  refuses,
  words: ({ run }: Standing) => ({
    what: `Sweep ${run} ends with all its runs that are alive, after their current steps, or at once.`,
    undo,
    cost: FREE,
  }),
  done: ({ run }: Acted, body: Waiting) => `${run}: its runs stop ${endingOfSweep(body)}`,
  next: (sweep) => `${evolve(`sweep resume ${sweep}`)} continues it later`,
} as const satisfies Verb;
