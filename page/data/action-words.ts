// What the dialogs say before anything is done: what will happen and to which run, whether it can be undone, what it may
// cost; and which actions make sense in which state.
import type { RunStatus } from '../../evolution/run-states.ts';
import type { VerbName } from './actions.ts';

/** What the words depend on, of the report of a run. */
export type ActedOn = {
  readonly run: string;
  readonly state: RunStatus;
  readonly steps: number;
  readonly programs: number;
  readonly sweep: string | null;
};

export type Words = {
  readonly what: string;
  readonly undo: string;
  readonly cost: string;
};

const FREE = 'It costs nothing.';
const KEPT = 'Everything that was made stays.';

type Say = (run: ActedOn) => Words;
export type RunVerb = Exclude<VerbName, 'start' | 'sweep' | `sweep-${string}`>;

const SET = (run: string): Words => ({
  what: `Run ${run} has these settings from its next step on; limits and models count at once.`,
  undo: 'The version before stays readable, and can be set again.',
  cost: 'It costs nothing by itself; a larger step or a dearer model costs more from then on.',
});

const WORDS: { readonly [verb in RunVerb]: Say } = {
  pause: ({ run }) => ({
    what: `Run ${run} waits after its current step, or at once, until it is resumed.`,
    undo: 'Resume goes on from the same place.',
    cost: 'It costs nothing. With “at once”, answers that are on their way are paid for and used again later.',
  }),
  resume: ({ run, state, steps }) => ({
    what:
      state === 'stopped' || state === 'terminated'
        ? `Run ${run} is opened again and goes on after step ${steps}, until a limit ends it.`
        : `Run ${run} goes on where it was paused, until a limit ends it.`,
    undo: 'Pause holds it again.',
    cost: 'It asks its model again, and spends up to its limits.',
  }),
  stop: ({ run }) => ({
    what: `Run ${run} ends after its current step, or at once, and writes its files.`,
    undo: `${KEPT} Resume continues it later.`,
    cost: FREE,
  }),
  extend: ({ run, state }) => ({
    what:
      state === 'finished' || state === 'stopped' || state === 'terminated'
        ? `Run ${run} gets these limits, is opened again and goes on until one of them ends it.`
        : `Run ${run} goes on with these limits.`,
    undo: 'Limits can be changed again at any time; what was spent by then is spent.',
    cost: 'It may spend up to the new limits.',
  }),
  set: ({ run }) => SET(run),
  hint: ({ run }) => ({
    what: `The hint stands in the prompts of run ${run} from its next step on, until it is removed.`,
    undo: 'It can be replaced or removed; what was made under it stays.',
    cost: 'Each prompt becomes as much longer.',
  }),
  inject: ({ run }) => ({
    what: `The program becomes a candidate of the next step of run ${run}, after those of the model. The same program goes into an island once.`,
    undo: 'A program that a step took stays, as all others do; a rewind sets the step aside.',
    cost: 'It is evaluated once. No model is asked for it.',
  }),
  retry: ({ run }) => ({
    what: `Run ${run} tries the step that needs attention again now.`,
    undo: 'There is nothing to undo.',
    cost: 'What is stored is used again. Asking the model afresh pays for the answers of this step again.',
  }),
  rewind: ({ run }) => ({
    what: `Run ${run} goes back: this step and all later ones are done again.`,
    undo: 'What they made is set aside, stays stored and stays paid; it does not come back into the run. A fork keeps a copy.',
    cost: 'Stored answers are used again and cost nothing. Asking the model afresh pays for those steps again.',
  }),
  fork: ({ run }) => ({
    what: `A new run begins that goes on after this step of run ${run}, with the settings that run ${run} has now, its hints and its seed among them. With the same seed, what chance decides and what a model answers may come out as in run ${run}: give another below to see it go otherwise. Run ${run} stays as it is.`,
    undo: 'The new run can be stopped; nothing else is changed.',
    cost: 'What it inherits is not paid again. From there on it spends up to its own limits.',
  }),
  export: ({ run }) => ({
    what: `Everything of run ${run} is written to a new folder on the machine of the server, below runs/${run}/. The command evolve import takes it in again.`,
    undo: 'The folder can be deleted. The run is not changed.',
    cost: 'It costs disk space: about as much as the run has in the database.',
  }),
};

/** `set` has a view of its own, which knows the id alone. */
export const wordsForSet = (run: string): Words => SET(run);
export const wordsOf = (verb: RunVerb, run: ActedOn): Words => WORDS[verb](run);

const UNDER_WAY: readonly RunStatus[] = ['opening', 'running', 'needs attention', 'retrying'];
const ENDED: readonly RunStatus[] = ['finished', 'stopped', 'terminated'];

const SENSE: { readonly [verb in RunVerb]: (run: ActedOn) => boolean } = {
  retry: ({ state }) => state === 'needs attention',
  resume: ({ state }) => ['pausing', 'paused', 'stopped', 'terminated'].includes(state),
  pause: ({ state }) => UNDER_WAY.includes(state),
  extend: ({ state }) => state !== 'stopping',
  stop: ({ state }) => UNDER_WAY.includes(state) || state === 'pausing' || state === 'paused',
  set: () => true,
  hint: () => true,
  inject: () => true,
  rewind: ({ steps }) => steps > 0,
  fork: ({ steps, programs }) => steps > 0 || programs > 0,
  export: ({ programs }) => programs > 0,
};

/** The one or two that matter most in a state; the others are in a menu. */
const FIRST: readonly RunVerb[] = ['retry', 'resume', 'pause', 'stop'];

export const actionsFor = (run: ActedOn): { readonly first: readonly RunVerb[]; readonly more: readonly RunVerb[] } => {
  const all = (Object.keys(SENSE) as RunVerb[]).filter((verb) => SENSE[verb](run));
  const first = all.filter((verb) => FIRST.includes(verb) || (verb === 'extend' && ENDED.includes(run.state)));
  return { first: first.slice(0, 2), more: all.filter((verb) => !first.slice(0, 2).includes(verb)) };
};

/** Actions that set aside or end what is under way; their button says so by more than its words. */
export const isGrave = (verb: VerbName): boolean => ['stop', 'rewind', 'sweep-stop'].includes(verb);

export type SweepVerb = Extract<VerbName, `sweep-${string}`>;

const SWEEP_WORDS: { readonly [verb in SweepVerb]: (sweep: string) => Words } = {
  'sweep-pause': (sweep) => ({
    what: `Sweep ${sweep} starts no further run, and those that are alive wait after their current steps, or at once.`,
    undo: 'Resume goes on with all of them.',
    cost: FREE,
  }),
  'sweep-resume': (sweep) => ({
    what: `Sweep ${sweep} goes on with the runs that are left.`,
    undo: 'Pause holds it again.',
    cost: 'Its runs ask their models again, and spend up to their limits.',
  }),
  'sweep-stop': (sweep) => ({
    what: `Sweep ${sweep} ends with all its runs that are alive, after their current steps, or at once.`,
    undo: `${KEPT} Resume continues it later.`,
    cost: FREE,
  }),
};
export const sweepWordsOf = (verb: SweepVerb, sweep: string): Words => SWEEP_WORDS[verb](sweep);

export const sweepActionsFor = (state: string): readonly SweepVerb[] =>
  state === 'finished' || state === 'stopping'
    ? []
    : state === 'stopped' || state === 'terminated'
      ? ['sweep-resume']
      : state === 'paused' || state === 'pausing'
        ? ['sweep-resume', 'sweep-stop']
        : ['sweep-pause', 'sweep-stop'];
