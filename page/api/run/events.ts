// GET runs/<run>/events: the events of a run, newest first; GET runs/<run>/latest: the first few of them; and the
// words for changed settings and states.
import { hasEnded, type RunStatus } from '../../../evolution/run-states.ts';
import type { Json } from '../../../evolution/types.ts';
import { endOf } from './runs.ts';
import { type Flat, same } from '../actions/settings-values.ts';

export const LATEST_EVENTS = 16;

export const EVENT_KINDS = {
  best: 'new bests',
  step: 'steps',
  settings: 'settings',
  migration: 'migrations',
  rewind: 'rewinds',
  state: 'state',
  notice: 'notices',
  policy: 'policies',
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

/** The state to which a run came. */
export const stateWords = (status: RunStatus, reason: string | null): string =>
  status === 'running'
    ? 'the run went on'
    : hasEnded({ status })
      ? endOf(status, reason ?? 'no reason was recorded')
      : `${status}${reason === null ? '' : `: ${reason}`}`;
