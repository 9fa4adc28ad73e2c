// The next action of a run under every order of messages: a played run carries the actions out.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Action, type End, next, type Situation } from '../../../evolution/run/next.ts';
import { awaits } from '../../../evolution/run/updates.ts';

const STEPS = 4;
type Played = { -readonly [key in keyof Situation]: Situation[key] } & { limit: number; over: boolean };

const begun = (more: Partial<Played> = {}): Played => {
  const played: Played = {
    ...{ paused: null, stopping: false, rewinding: false, resampling: false, committedStep: -1, update: null },
    ...{ leaves: null, storedAsPaused: false, limit: STEPS, over: false },
    reached: (): End | null => (played.committedStep >= played.limit ? { status: 'finished', reason: 'steps' } : null),
    ...more,
  };
  return played;
};
const learning = (lag: 0 | 1) => ({ on: true, lag, learned: -1, policy: null });

const updateIsOver = (run: Played): void => {
  if (run.update === null) return;
  run.learning = { ...run.learning!, learned: run.update.step, policy: 'p' };
  run.update = null;
};
const EVENTS: { readonly [event: string]: (run: Played) => void } = {
  'pause after the step': (run) => void (run.paused = 'step'),
  'pause at once': (run) => void (run.paused = 'now'),
  resume: (run) => void (run.paused = null),
  'ask afresh': (run) => void (run.resampling = true),
  'an update is over': updateIsOver,
  'an update parks': (run) => void (run.update &&= { ...run.update, parked: true }),
  'learning off': (run) => void (run.learning &&= { ...run.learning, on: false }),
  'learning on': (run) => void (run.learning &&= { ...run.learning, on: true }),
  'another limit': (run) => void (run.limit += 1),
  'a long history': (run) => void (run.leaves = 'at once'),
  'many steps': (run) => void (run.leaves ??= 'before a step'),
};
const LAST: { readonly [event: string]: (run: Played) => void } = {
  stop: (run) => void (run.stopping = true),
  rewind: (run) => void (run.rewinding = true),
  nothing: () => undefined,
};

/** Carries an action out, and says whether the run waits. `during` comes while a step is under way. */
const carryOut = (run: Played, action: Action, during: (run: Played) => void = () => undefined): boolean => {
  switch (action.do) {
    case 'rest':
      run.storedAsPaused = true;
      return true;
    case 'await update':
      return true;
    case 'await document':
      run.storedAsPaused = false;
      return false;
    case 'begin update':
      run.update = { step: action.step, parked: false };
      return false;
    case 'cancel update':
      run.update = null;
      return false;
    case 'resample':
      run.resampling = false;
      return false;
    case 'go on':
      run.leaves = run.update = null;
      return false;
    case 'step':
      if (action.leavesOut) run.learning = { ...run.learning!, learned: run.committedStep };
      during(run);
      run.committedStep = action.step;
      return false;
    case 'stop':
    case 'rewind':
    case 'end':
      run.over = true;
      return true;
  }
};

/** What must hold of a run that does this now. */
const expectSound = (run: Played, action: Action): void => {
  const { paused, stopping, rewinding, resampling, update, storedAsPaused, committedStep } = run;
  switch (action.do) {
    case 'step':
      expect({ paused, stopping, rewinding, resampling, storedAsPaused }).toEqual({
        ...{ paused: null, stopping: false, rewinding: false, resampling: false, storedAsPaused: false },
      });
      expect([action.step, run.leaves]).toEqual([committedStep + 1, null]);
      expect(committedStep).toBeLessThan(run.limit);
      if (update !== null) expect(awaits(run, update.step)).toBe(false);
      if (run.learning?.on === true && run.learning.lag === 0 && committedStep >= 0)
        expect(run.learning.learned).toBe(committedStep);
      return;
    case 'begin update':
      expect([update, paused, stopping, storedAsPaused]).toEqual([null, null, false, false]);
      expect(action.step).toBeGreaterThan(run.learning!.learned);
      expect(action.step).toBeLessThanOrEqual(committedStep);
      return;
    case 'rest':
      expect(paused).not.toBeNull();
      return expect(update).toBeNull();
    case 'go on':
      return expect(update?.parked ?? true).toBe(true);
    case 'await update':
      return expect(update).not.toBeNull();
    case 'cancel update':
      return expect(update).not.toBeNull();
    case 'end':
    case 'stop':
    case 'rewind':
      return expect(update).toBeNull();
    case 'resample':
    case 'await document':
      return;
  }
};

const turn = (run: Played, during?: (run: Played) => void): boolean => {
  const action = next(run);
  expectSound(run, action);
  return carryOut(run, action, during);
};

describe('the next action of a run', () => {
  const event = fc.constantFrom(...Object.keys(EVENTS));
  const history = fc.array(fc.record({ event, turns: fc.integer({ min: 0, max: 3 }), within: fc.boolean() }), {
    maxLength: 40,
  });
  const learns = fc.constantFrom(undefined, learning(0), learning(1));

  it('is sound after any messages, and the run comes to its end once nobody disturbs it', () => {
    fc.assert(
      fc.property(learns, history, fc.constantFrom(...Object.keys(LAST)), (of, events, last) => {
        const run = begun(of && { learning: of });
        for (const { event: name, turns, within } of events) {
          if (run.over) break;
          if (!within) EVENTS[name]!(run);
          for (let at = 0; at < turns && !run.over; at += 1)
            if (turn(run, within && at === 0 ? EVENTS[name] : undefined)) break;
        }
        LAST[last]!(run);
        run.paused = null;
        // Each step has at most an update, a document to wait for and an execution to leave.
        for (let left = 8 * (run.limit + 2); !run.over; left -= 1) {
          expect(left).toBeGreaterThan(0);
          if (turn(run)) updateIsOver(run);
        }
        if (run.reached() === null) expect(last).not.toBe('nothing');
      }),
      { numRuns: 2_000 },
    );
  });

  it('after a stop or a rewind ends the update that is under way, and then nothing else begins', () => {
    fc.assert(
      fc.property(learns, history, fc.constantFrom('stop', 'rewind'), (of, events, last) => {
        const run = begun(of && { learning: of });
        for (const { event: name, turns } of events) {
          EVENTS[name]!(run);
          for (let at = 0; at < turns && !run.over; at += 1) if (turn(run)) break;
        }
        if (run.over) return;
        LAST[last]!(run);
        if (run.update !== null) expect(next(run)).toEqual({ do: 'cancel update' });
        run.update = null;
        expect(next(run)).toEqual({ do: last });
      }),
    );
  });

  it.each<[string, Partial<Played>, Action]>([
    ['a new run begins with step 0', {}, { do: 'step', step: 0, leavesOut: false }],
    ['a pause rests', { committedStep: 1, paused: 'step' }, { do: 'rest' }],
    [
      'a pause lets an update go on',
      { ...{ committedStep: 1, paused: 'step' }, update: { step: 1, parked: false }, learning: learning(0) },
      { do: 'await update' },
    ],
    [
      'a pause at once ends it',
      { ...{ committedStep: 1, paused: 'now' }, update: { step: 1, parked: false }, learning: learning(0) },
      { do: 'cancel update' },
    ],
    [
      'a paused run goes on in another execution where its history is long',
      { paused: 'step', leaves: 'at once' },
      { do: 'go on' },
    ],
    ['a paused run does not for the number of its steps', { paused: 'step', leaves: 'before a step' }, { do: 'rest' }],
    ['the document is waited for', { committedStep: 1, storedAsPaused: true }, { do: 'await document' }],
    ['a limit ends it', { committedStep: STEPS }, { do: 'end', status: 'finished', reason: 'steps' }],
    [
      'the last update is made first',
      { committedStep: STEPS, learning: { ...learning(0), learned: 2, policy: 'p' } },
      { do: 'begin update', step: 3 },
    ],
    [
      'with lag 1 a step goes beside an update',
      { committedStep: 2, update: { step: 2, parked: false }, learning: { ...learning(1), learned: 1, policy: 'p' } },
      { do: 'step', step: 3, leavesOut: false },
    ],
    [
      'a step without learning is left out of it',
      { committedStep: 2, learning: { ...learning(0), on: false, learned: 1, policy: 'p' } },
      { do: 'step', step: 3, leavesOut: true },
    ],
  ])('%s', (_, more, action) => {
    expect(next(begun(more))).toEqual(action);
  });
});
