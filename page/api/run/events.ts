// GET runs/<run>/events: the events of a run, newest first; GET runs/<run>/latest: the first few of them; and the
// words for changed settings and states.
import { hasEnded, type RunStatus } from '../../../evolution/run-states.ts';
import type { Json } from '../../../evolution/types.ts';
import { range } from '../../../evolution/schedule/slots.ts';
import { endOf } from './runs.ts';
import type { Steps } from './steps.ts';
import { type Flat, same } from '../actions/settings-values.ts';

export const LATEST_EVENTS = 16;

export const EVENT_KINDS = {
  best: 'new best',
  step: 'step',
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

/** Steps one after the other in which nothing better came, with the sums of their programs. */
type Quiet = {
  readonly from: number;
  readonly to: number;
  readonly atMs: number;
  readonly made: number;
  readonly valid: number;
};

/**
 * The steps without a new best, folded: a new best and other settings end a fold. Of two points that are several steps
 * apart with a best between them, nothing is told.
 */
export const quietSteps = ({
  points,
  records,
  settings,
}: Pick<Steps, 'points' | 'records' | 'settings'>): readonly Quiet[] => {
  const bests = new Set(records.map(({ step }) => step));
  const breaks = new Set(settings.map(({ step }) => step));
  const folds: Quiet[] = [];
  let goesOn = false;
  for (const [index, point] of points.entries()) {
    const before = points[index - 1];
    if (before === undefined) continue;
    const first = before.step + 1;
    const isQuiet = !range(first, point.step - before.step).some((step) => bests.has(step));
    const open = goesOn && isQuiet && !breaks.has(first) ? folds.pop() : undefined;
    goesOn = isQuiet;
    if (!isQuiet) continue;
    folds.push({
      ...{ from: open?.from ?? first, to: point.step, atMs: point.atMs },
      made: (open?.made ?? 0) + point.programs - before.programs,
      valid: (open?.valid ?? 0) + point.valid - before.valid,
    });
  }
  return folds;
};

/** The state to which a run came. */
export const stateWords = (status: RunStatus, reason: string | null): string =>
  status === 'running'
    ? 'the run went on'
    : hasEnded({ status })
      ? endOf(status, reason ?? 'no reason was recorded')
      : `${status}${reason === null ? '' : `: ${reason}`}`;
