// A verb has one verdict in a state: the command that selects runs, the page that offers actions and the message to the
// workflow all give it.
import { expectedOf } from '../../evolution/steering/base/check.ts';
import { expect, test } from 'vitest';
import { RUN_STATES, type RunStatus } from '../../evolution/run-states.ts';
import type { Situation } from '../../evolution/steering/base/verb.ts';
import {
  isSweepVerb,
  messageName,
  messageRefusal,
  refusalOf,
  type VerbName,
  verbNames,
  verbOf,
} from '../../evolution/steering/verbs.ts';
import { actionsFor, sweepActionsFor, verbs } from '../../page/api/actions/actions.ts';

const ENDED = ['stopped', 'finished', 'terminated'];
const situations = RUN_STATES.flatMap((state): readonly Situation[] => {
  const plain = { run: 'demo', state, steps: 3, programs: 12, best: {}, sweep: null, stopReason: null };
  const fresh = { ...plain, steps: 0, programs: 0, best: null };
  return [plain, fresh, ...(state === 'stopped' ? [{ ...plain, sweep: 's', stopReason: 'rung 8 of sweep s' }] : [])];
});

const offered = (now: Situation): readonly VerbName[] => {
  const { first, more } = actionsFor(now);
  return [...first, ...more, ...sweepActionsFor(now)];
};

test.each(verbNames)('%s has one verdict in each state over command, page and message', (name) => {
  const { message } = verbOf(name);
  for (const now of situations) {
    const refused = refusalOf(name, now) !== null;
    const what = `${name}: ${now.state}, ${now.steps} steps, ${now.stopReason}`;
    if (verbs.some((one) => one === name)) expect(!offered(now).includes(name), `page, ${what}`).toBe(refused);
    // A workflow that has ended takes no message: commands open it again.
    if (message !== null && !ENDED.includes(now.state))
      expect(
        messageRefusal(messageName(name), isSweepVerb(name) ? 'sweep' : 'run', now) !== null,
        `message, ${what}`,
      ).toBe(refused);
  }
});

const statesOf = (name: VerbName): readonly RunStatus[] =>
  RUN_STATES.filter((state) =>
    situations.some((now) => now.state === state && now.stopReason === null && refusalOf(name, now) === null),
  );
const UNDER_WAY = ['opening', 'running', 'pausing', 'retrying', 'needs attention'];

test.each([
  ['pause', UNDER_WAY],
  ['resume', ['pausing', 'paused', 'stopped', 'terminated']],
  ['stop', ['opening', 'running', 'pausing', 'paused', 'stopping', 'retrying', 'needs attention']],
  ['retry', ['retrying', 'needs attention']],
  ['extend', RUN_STATES],
  ['rewind', RUN_STATES],
  ['sweep-pause', UNDER_WAY],
] as const)('%s makes sense in %j', (name, states) => {
  expect(statesOf(name)).toEqual(states);
});

test('a run that rests with its sweep is the sweep to continue, and a parked one is tried again though it is paused', () => {
  const now = { run: 'demo', steps: 3, programs: 12, best: {}, sweep: 's', stopReason: 'rung 8 of sweep s' };
  expect(refusalOf('resume', { ...now, state: 'stopped' })).toContain('`npx evolve sweep resume s` goes on with it');
  const parked = { ...now, stopReason: null, state: 'needs attention', paused: true } as const;
  expect(refusalOf('resume', parked)).toBeNull();
  expect(messageRefusal('resume', 'run', { ...parked, paused: false })).toBe(
    'resume: the run is not paused, it is needs attention; `npx evolve retry demo` tries again what is parked',
  );
});

test.each([
  [{ min: 0, max: 2 }, 3, 'a number from 0 to 2'],
  [{ min: 0, max: 2 }, -1, 'a number from 0 to 2'],
  [{ min: 0, max: 2 }, 0.3, null],
  [{ positive: true }, 0, 'a positive number'],
  [{}, -1, null],
] as const)('a number with %j takes or refuses %d', (bounds, value, expected) => {
  expect(expectedOf({ type: 'number', meaning: '', ...bounds }, value)).toBe(expected);
});
