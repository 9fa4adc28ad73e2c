// GET runs/<run>/events: the events of a run, newest first; GET runs/<run>/latest: the first few of them; and the
// words for changed settings and states.
import { endOf } from '../../../evolution/budget/limits.ts';
import { hasEnded, isParked, type RunStatus } from '../../../evolution/run-states.ts';
import { reasonOf } from '../../../evolution/steering/advice/reasons.ts';
import type { Person } from '../../../evolution/steering/base/people.ts';
import type { Json } from '../../../evolution/types.ts';
import type { Steps } from './steps.ts';
import { type Flat, same } from '../actions/settings-values.ts';

export const LATEST_EVENTS = 16;

export const EVENT_KINDS = {
  best: 'new best',
  step: 'step',
  action: 'action',
  settings: 'settings',
  migration: 'migration',
  rewind: 'rewind',
  state: 'state',
  notice: 'notice',
  policy: 'policy',
} as const;
export type EventKind = keyof typeof EVENT_KINDS;

export type RunEvent = {
  readonly kind: EventKind;
  readonly atMs: number;
  /** False where the time is that of the step, because that of the event itself is not stored. */
  readonly exact: boolean;
  readonly step: number | null;
  readonly text: string;
  readonly program: string | null;
  /** Who did it; left out where nobody did, and where it is not known. */
  readonly by?: Person;
  /** The run waits since then. */
  readonly waits?: true;
};
export type Events = { readonly events: readonly RunEvent[]; readonly more: number };

const HINTS = 'prompt.hints';
const KEYS_NAMED = 6;
/** A longer value is left to the view of the settings. */
const LONGEST_VALUE = 60;

type Hint = { readonly island: number | null; readonly text: string };
const hintsIn = (value: Json | undefined): readonly Hint[] =>
  Array.isArray(value) ? (value as unknown as Hint[]) : [];
const placeOf = ({ island }: Hint): string => (island === null ? 'all islands' : `island ${island}`);

const hintWords = (before: readonly Hint[], after: readonly Hint[]): readonly string[] => [
  ...after
    .filter(({ island, text }) => !before.some((one) => one.island === island && one.text === text))
    .map((hint) => `hint for ${placeOf(hint)}: “${hint.text}”`),
  ...before
    .filter(({ island }) => !after.some((one) => one.island === island))
    .map((hint) => `the hint for ${placeOf(hint)} was removed`),
];

const valueWords = (key: string, before: Json | undefined, after: Json | undefined): string => {
  const [from, to] = [before, after].map((value) => (value == null ? 'none' : JSON.stringify(value))) as [
    string,
    string,
  ];
  return from.length + to.length > LONGEST_VALUE ? key : `${key} ${from} → ${to}`;
};

/**
 * The changes of a version of the settings: hints with their text, other settings with their values where these are
 * short.
 */
export const changeWords = (before: Flat, after: Flat): string => {
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => key !== HINTS && !same(before[key], after[key]),
  );
  const more = changed.length - KEYS_NAMED;
  const named = changed.slice(0, KEYS_NAMED).map((key) => valueWords(key, before[key], after[key]));
  return [
    ...hintWords(hintsIn(before[HINTS]), hintsIn(after[HINTS])),
    ...named,
    ...(more > 0 ? [`${more} more`] : []),
  ].join('; ');
};

/** The steps without a new best, folded, with the sums of their programs: a new best and other settings end a fold. */
export const quietSteps = ({ points, records, settings }: Pick<Steps, 'points' | 'records' | 'settings'>) => {
  const ends = [...records, ...settings];
  // A point may stand for several steps.
  const quiet = points
    .map((point, index) => ({ before: points[index - 1] ?? point, point }))
    .filter(
      ({ before, point }) => before !== point && !records.some(({ step }) => step > before.step && step <= point.step),
    );
  return [...Map.groupBy(quiet, ({ point }) => ends.filter(({ step }) => step <= point.step).length).values()].map(
    (fold) => {
      const [{ before }, { point }] = [fold[0]!, fold.at(-1)!];
      const [made, valid] = [point.programs - before.programs, point.valid - before.valid];
      return { from: before.step + 1, to: point.step, atMs: point.atMs, made, valid };
    },
  );
};

/** The state to which a run came. */
export const stateWords = (status: RunStatus, reason: string | null): string =>
  status === 'running'
    ? 'the run went on'
    : hasEnded({ status })
      ? endOf(status, reason ?? 'no reason was recorded')
      : `${status}${reason === null ? '' : `: ${isParked(status) ? reasonOf(reason).text : reason}`}`;
