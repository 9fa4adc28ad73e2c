// A verb: all that workflows, the command line, the page and the docs know of one way to steer a run or a sweep.
import type { SettingsChange } from '../../methods/change.ts';
import { hasEnded, isParked, type RunStatus } from '../../run-states.ts';
import type { Field, Fields } from './fields.ts';

/** The standing of a sweep. */
export type Standing = { readonly run: string; readonly state: RunStatus };

/** The standing of a run, as far as verbs depend on it. */
export type Situation = Standing & {
  /** The number of committed steps, and of the programs made in them. */
  readonly steps: number;
  readonly programs: number;
  /** The best program; null before there is a valid one. */
  readonly best: unknown;
  readonly sweep: string | null;
  readonly stopReason: string | null;
  /** The run is a stream, whose steps do not wait for each other. */
  readonly stream?: boolean;
  /** A pause was taken, whatever else the state says. */
  readonly paused?: boolean;
  /** Step 0 is committed, where that is known. */
  readonly begun?: boolean;
  readonly parked?: unknown;
};

/** The run or sweep that was acted on. */
export type Acted = Pick<Situation, 'run' | 'stream'>;

/** Whole sentences that a dialog shows before anything is done. */
export type Words = { readonly what: string; readonly undo: string; readonly cost: string };

/** The message of a verb has the verb's name. */
export type Message = {
  readonly kind: 'signal' | 'update';
  /** A body; the first one of a verb that may be sent without one is `{}`. */
  readonly examples: readonly [object, ...object[]];
};

export type Verb = {
  /** The text of the button. */
  readonly title: string;
  /** One line for `--help` and the tables of the docs. */
  readonly brief: string;
  readonly group: 'A run' | 'Steer a run' | 'Do again' | 'A sweep';
  readonly fields: Fields;
  /** Keys beside the fields are let through, because the settings check them. */
  readonly open?: true;
  /** The rule over all fields; null where it holds. */
  readonly rule?: (body: never) => string | null;
  /** The message to the workflow of the run; null where it is not the workflow that acts. */
  readonly message: Message | null;
  /** The change of settings that it is, where it is no more than that. */
  readonly change?: (body: never) => SettingsChange;
  /** The command takes several runs. */
  readonly many?: true;
  /** It can be tried without doing it. */
  readonly dry?: true;
  /** The page does not offer it. */
  readonly commandOnly?: true;
  /** The first two of a run are buttons; other verbs stand in a menu. */
  readonly rank?: number;
  /** It sets aside or ends what is under way. */
  readonly grave?: true;
  /** It halts what is under way, so it waits for no other action. */
  readonly halts?: true;
  /** Why it makes no sense now, as a clause: `it is finished`; null where it does. */
  readonly refuses: (now: never) => string | null;
  readonly words: (now: never) => Words;
  /** One sentence, without its full stop, about what was done. */
  readonly done: (now: never, body: never, result: never) => string;
  /** A flag that the command needs to do no more than the page does. */
  readonly alsoFlag?: string;
  /** The command that is of use afterwards, and what it does. */
  readonly next?: (run: string) => string;
};

/** It makes sense in these states alone. */
export const only =
  (...states: readonly RunStatus[]) =>
  ({ state }: Standing): string | null =>
    states.includes(state) ? null : `it is ${state}`;

export const always = (): null => null;

export const UNDER_WAY = ['opening', 'running', 'needs attention', 'retrying'] as const satisfies readonly RunStatus[];
export const OPEN = [...UNDER_WAY, 'pausing', 'paused', 'stopping'] as const satisfies readonly RunStatus[];

export const ended = ({ state }: Standing): boolean => hasEnded({ status: state });
export const parked = ({ state, parked: how = null }: Situation): boolean => isParked(state) || how !== null;
/** Step 0 is committed. */
export const committed = ({ steps, programs, best, begun }: Situation): boolean =>
  begun ?? (steps > 0 || programs > 0 || best !== null);

const ENDING = { steps: 'after its current step', stream: 'when all that is under way is committed' } as const;

export type Waiting = { readonly mode?: 'step' | 'now'; readonly reason?: string };

/** The end that a run waits for before it pauses or stops. A stream has programs under way, and no step. */
export const endingOf = ({ stream = false }: { readonly stream?: boolean }, { mode }: Waiting = {}): string =>
  mode === 'now' ? 'now' : stream ? ENDING.stream : ENDING.steps;

export const endingOfSweep = ({ mode }: Waiting): string => (mode === 'now' ? 'now' : 'after their current steps');

export const waiting = {
  mode: {
    type: 'choice',
    label: 'When',
    meaning: 'when',
    options: {
      step: ENDING,
      now: 'at once: the current step is interrupted, and what was not finished is repeated later',
    },
    flag: '--now',
  },
  reason: {
    type: 'text',
    label: 'Reason (optional)',
    meaning: 'shown beside the state',
    flag: '--reason <text>',
  },
} as const satisfies Fields;

export const island = {
  type: 'whole',
  min: 0,
  label: 'Island (empty: all)',
  meaning: 'only this island, from 0 on',
  flag: '--island <k>',
} as const satisfies Field;

export const resample = {
  type: 'flag',
  label: 'Ask the model afresh',
  meaning: 'ask the model afresh; answers so far are set aside and stay paid',
  flag: '--resample',
} as const satisfies Field;

export const FREE = 'It costs nothing.';
export const KEPT = 'Everything that was made stays.';
export const SPENDS = 'It asks its model again, and spends up to its limits.';

export const evolve = (command: string): string => `\`npx evolve ${command}\``;
