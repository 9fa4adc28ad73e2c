// Resume: what was paused goes on; what was stopped, or was closed in the workflow engine, is opened again.
import { restOf } from '../sweep/halving.ts';
import {
  type Acted,
  ended,
  evolve,
  only,
  parked,
  type Situation,
  SPENDS,
  type Standing,
  type Verb,
  OPEN,
} from './base/verb.ts';

type Opened = { readonly opened: boolean };
const message = { kind: 'signal', examples: [{}] } as const;

const refuses = (now: Situation): string | null => {
  const { run, state, sweep, stopReason, paused = state === 'pausing' || state === 'paused' } = now;
  // Successive halving has chosen other runs than one that rests at a rung.
  if (state === 'stopped' && restOf(stopReason) !== null)
    return `it rests with its sweep, and ${evolve(`sweep resume ${sweep}`)} goes on with it`;
  if (state === 'stopped' || state === 'terminated' || (paused && state !== 'stopping')) return null;
  if (ended(now) || state === 'queued' || state === 'stopping') return `it is ${state}`;
  return `it is not paused, it is ${state}${parked(now) ? `; ${evolve(`retry ${run}`)} tries again what is parked` : ''}`;
};

export const resume = {
  title: 'Resume',
  brief: 'let a paused or stopped run go on',
  group: 'Steer a run',
  fields: {},
  message,
  many: true,
  rank: 2,
  refuses,
  words: (now: Situation) => ({
    what: ended(now)
      ? `Run ${now.run} is opened again and goes on after step ${now.steps}, until a limit ends it.`
      : `Run ${now.run} goes on where it was paused, until a limit ends it.`,
    undo: 'Pause holds it again.',
    cost: SPENDS,
  }),
  done: ({ run }: Acted, _: object, { opened, step }: Opened & { readonly step: number }) =>
    `${run}: goes on${opened ? ` after step ${step}` : ''}`,
  next: (run) => `${evolve(`watch ${run}`)} shows it`,
} as const satisfies Verb;

export const sweepResume = {
  title: 'Resume the sweep',
  brief: 'let a paused or stopped sweep go on, with those of its runs that were paused on their own',
  group: 'A sweep',
  fields: {},
  message,
  refuses: (now: Standing) =>
    now.state === 'stopping' ? `it is stopping` : only(...OPEN, 'stopped', 'terminated')(now),
  words: ({ run }: Standing) => ({
    what: `Sweep ${run} goes on with the runs that are left, those too that were paused on their own.`,
    undo: 'Pause holds it again.',
    cost: 'Its runs ask their models again, and spend up to their limits.',
  }),
  done: ({ run }: Acted, _: object, __: Opened) => `${run}: goes on`,
  next: (sweep) => `${evolve(`sweep status ${sweep}`)} shows it`,
} as const satisfies Verb;
