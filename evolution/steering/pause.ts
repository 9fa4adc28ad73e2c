// Pause: a run waits until it is resumed, a sweep with all its runs.
import {
  type Acted,
  endingOf,
  endingOfSweep,
  evolve,
  FREE,
  only,
  type Situation,
  type Standing,
  UNDER_WAY,
  type Verb,
  type Waiting,
  waiting,
} from './base/verb.ts';

const refuses = only(...UNDER_WAY, 'pausing');
const message = {
  kind: 'signal',
  examples: [{ mode: 'step' }, { mode: 'now', reason: 'I look at the results first' }],
} as const;

export const pause = {
  title: 'Pause',
  brief: 'let a run wait after its current step, or at once',
  group: 'Steer a run',
  fields: waiting,
  message,
  many: true,
  rank: 3,
  halts: true,
  refuses,
  words: (now: Situation) => ({
    what: `Run ${now.run} waits ${endingOf(now)}, or at once, until it is resumed.`,
    undo: 'Resume goes on from the same place.',
    cost: 'It costs nothing. With “at once”, answers that are on their way are paid for and used again later.',
  }),
  done: (now: Acted, body: Waiting) => `${now.run}: pauses ${endingOf(now, body)}`,
  next: (run) => `${evolve(`resume ${run}`)} goes on`,
} as const satisfies Verb;

export const sweepPause = {
  title: 'Pause the sweep',
  brief: 'start no further run of a sweep, and let those that are alive wait',
  group: 'A sweep',
  fields: waiting,
  message,
  halts: true,
  refuses,
  words: ({ run }: Standing) => ({
    what: `Sweep ${run} starts no further run, and those that are alive wait after their current steps, or at once.`,
    undo: 'Resume goes on with all of them.',
    cost: FREE,
  }),
  done: ({ run }: Acted, body: Waiting) => `${run}: its runs pause ${endingOfSweep(body)}`,
  next: (sweep) => `${evolve(`sweep resume ${sweep}`)} goes on`,
} as const satisfies Verb;
