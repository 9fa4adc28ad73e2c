// The columns of the list of runs: what each says of a run, and what it is sorted by. A column is an entry here; where
// it is more than a text, its cell is in page/view/runs/cells.tsx. All functions are pure.
import { limitWords } from '../../../evolution/budget/limits.ts';
import {
  alignedScore,
  amount,
  count,
  counted,
  duration,
  score,
  dollars,
} from '../../../evolution/reports/number-text.ts';
import { hasEnded } from '../../../evolution/run-states.ts';
import { markText, wholeMark } from '../../../evolution/steering/base/people.ts';
import { asFit, gainOver } from '../../../evolution/scoring/ranking.ts';
import { firstOf, forecast, type Forecast, type StopReason } from './overview.ts';
import type { RunCard } from './runs.ts';

type Said = {
  readonly text: string;
  /** A row is sorted by it. */
  readonly by: string | number;
  /** It stands below the text. */
  readonly also?: string | undefined;
  /** It is told on demand. */
  readonly more?: string | undefined;
  /** The part that is done, from 0 to 1. */
  readonly share?: number;
};
export type RunColumn = {
  readonly title: string;
  /** It stands at the right. */
  readonly number?: true;
  /** A first click on its title puts the largest value first. */
  readonly falls?: true;
  readonly unsorted?: true;
  /** Null where there is nothing to say. */
  readonly of: (run: RunCard, now: number) => Said | null;
  /** Left out: it says something of any runs. */
  readonly when?: (runs: readonly RunCard[]) => boolean;
};

/** Seven digits after the point: a list is no place for more, and the run's own page has them. */
const DECIMALS = 7;
const aligned = (value: number): string => (Number.isInteger(value) ? score(value) : alignedScore(value, DECIMALS));
const short = (value: number): string => score(Number(aligned(value)));
/** A length of time in its largest unit alone, which is enough beside others. */
const about = (seconds: number): string => /^\S+ \S+/.exec(duration(Math.max(0, Math.round(seconds))))![0];
const ago = (iso: string, now: number): string => `${about((now - Date.parse(iso)) / 1000)} ago`;

const UNITS: { readonly [limit in StopReason]?: readonly [unit: string, text: (value: number) => string] } = {
  steps: [' steps', count],
  programs: [' programs', count],
  tokens: [' tokens', amount],
  costUsd: ['', dollars],
  wallSeconds: ['', duration],
};

/** By the limit of which the largest part is spent. */
const progress = ({ limits, steps }: RunCard): Said => {
  const [most] = limits
    .filter(({ limit }) => Object.hasOwn(UNITS, limit))
    .map((one) => forecast(one, null))
    .sort((a, b) => b.share! - a.share!);
  if (most === undefined) return { text: counted(steps, 'step'), by: -1 };
  const [unit, text] = UNITS[most.limit]!;
  return { text: `${text(most.spent)} of ${text(most.of)}${unit}`, by: most.share!, share: most.share! };
};

/** Until the first limit at the present rate. */
const timeLeft = ({ limits, rate, state }: RunCard): Said | null => {
  const all = rate === null || state !== 'running' ? [] : limits.map((one): Forecast => forecast(one, rate));
  const first = firstOf(all);
  if (first === null) return null;
  return { text: about(first.seconds!), by: first.seconds!, more: `until ${limitWords(first.limit)}, at this rate` };
};

const cost = ({ limits, paid, priced }: RunCard): Said | null => {
  if (!priced && paid.costUsd === 0) return null;
  const limit = limits.find((one) => one.limit === 'costUsd');
  return {
    text: `${dollars(paid.costUsd)}${limit === undefined ? '' : ` of ${dollars(limit.of)}`}`,
    by: paid.costUsd,
    more: `${count(paid.tokens)} tokens`,
  };
};

/** The score that ranks, and the other one where it is another number. */
const best = ({ best: one, known, scoresInvented }: RunCard): Said | null => {
  if (one === null) return null;
  const { score: tolerant, strictScore, ranking } = one;
  const other = ranking === tolerant ? strictScore : tolerant;
  const name = ranking === tolerant ? 'strict' : 'tolerant';
  const differs = other !== null && short(other) !== short(ranking);
  return {
    text: aligned(ranking),
    by: asFit(ranking, known?.direction ?? 'maximise'),
    also: differs ? `${name} ${short(other)}` : scoresInvented ? 'invented' : undefined,
    more: score(ranking),
  };
};

/** To the best known value, or else to the paper's. */
const gap = ({ best: one, known }: RunCard): Said | null => {
  const { bestKnown = null, paper = null } = known ?? {};
  const goal = bestKnown?.value ?? paper;
  if (one === null || known === null || goal === null) return null;
  const own = bestKnown === null ? one.ranking : bestKnown.strict ? (one.strictScore ?? one.ranking) : one.score;
  const value = gainOver(known.direction, goal, own);
  const [part, size] = [value / Math.abs(goal), score(Math.abs(value), 3)];
  const percents = 100 * Math.abs(part);
  const text = goal === 0 ? size : `${percents < 1 ? score(percents, 3) : percents.toFixed(1)} %`;
  return {
    text: value === 0 ? 'reached' : value < 0 ? `${text} better` : text,
    by: goal === 0 ? value : part,
    also: bestKnown === null ? "to the paper's value" : undefined,
    more: `${size} ${value < 0 ? 'better than' : 'to'} ${score(goal)}`,
  };
};

/** What needs a person comes first, then what is open. */
const rankOf = ({ next, state }: RunCard): number =>
  next.urgent ? 0 : hasEnded({ status: state }) ? 3 : state === 'queued' ? 2 : 1;

const word = (text: string, more?: string): Said => ({ text, by: text, more });

export const COLUMNS = {
  run: { title: 'run', of: ({ run }) => word(run) },
  state: { title: 'state', of: (run) => ({ text: run.state, by: rankOf(run), more: run.next.what }) },
  mark: {
    title: 'mark',
    // Starred runs come first.
    of: ({ mark }) =>
      mark && { text: markText(mark), by: `${mark.star ? 0 : 1} ${mark.label ?? ''}`, more: wholeMark(mark) },
    when: (runs) => runs.some(({ mark }) => mark !== null),
  },
  task: {
    title: 'task',
    of: ({ known, task }) => word(known?.title ?? task),
    when: (runs) => new Set(runs.map(({ task }) => task)).size > 1,
  },
  method: { title: 'method', of: ({ method, model }) => word(method, `model ${model}`) },
  trend: {
    title: 'best so far',
    unsorted: true,
    of: ({ trend: [first, ...more] }) => {
      const [step, last] = more.at(-1) ?? first ?? [];
      return first === undefined ? null : word(`from ${short(first[1])} to ${short(last!)} in ${count(step!)} steps`);
    },
  },
  best: { title: 'best', number: true, falls: true, of: best },
  gap: { title: 'gap to best known', number: true, of: gap },
  progress: { title: 'progress', falls: true, of: progress },
  left: { title: 'time left', number: true, of: timeLeft },
  cost: { title: 'cost', number: true, falls: true, of: cost },
  improved: {
    title: 'last improvement',
    falls: true,
    // The initial program improves on none.
    of: ({ improved: at }, now) =>
      at === null || at.step === 0 ? null : { text: `step ${at.step}, ${ago(at.at, now)}`, by: Date.parse(at.at) },
  },
  begun: {
    title: 'begun',
    falls: true,
    of: ({ createdAt }, now) => ({ text: ago(createdAt, now), by: Date.parse(createdAt) }),
  },
} as const satisfies { readonly [name: string]: RunColumn };

export type RunColumnName = keyof typeof COLUMNS;
export const columnOf = (name: RunColumnName): RunColumn => COLUMNS[name];
/** The columns that say something of these runs. */
export const columnsFor = (runs: readonly RunCard[]): readonly RunColumnName[] =>
  (Object.keys(COLUMNS) as RunColumnName[]).filter((name) => columnOf(name).when?.(runs) ?? true);

/** A value that an address names, or else the usual one. */
export const oneOf = <T extends string>(all: { readonly [name in T]: unknown }, text: string | null, otherwise: T): T =>
  text !== null && Object.hasOwn(all, text) ? (text as T) : otherwise;

export const STATES = { '': 'all', open: 'open', attention: 'needs a person', ended: 'ended' } as const;
export type StateFilter = keyof typeof STATES;

export type Sorted = { readonly sort: RunColumnName; readonly descending: boolean };

/** The order that a click on a title asks for: the usual one of the column, and the other one behind it. */
export const sortedBy = (name: RunColumnName, { sort, descending }: Sorted): Sorted => ({
  sort: name,
  descending: sort === name ? !descending : columnOf(name).falls === true,
});

const isOf = (run: RunCard, state: StateFilter): boolean =>
  state === '' || (state === 'attention' ? run.next.urgent : hasEnded({ status: run.state }) === (state === 'ended'));

export type Wanted = Sorted & { readonly text: string; readonly state: StateFilter };

/** What has no value comes last in any order, and among equals the newest first. */
export const listed = (runs: readonly RunCard[], { text, state, sort, descending }: Wanted): readonly RunCard[] => {
  const words = text.toLowerCase().split(/\s+/);
  return runs
    .filter((run) => {
      const own = `${run.run} ${run.task} ${run.method} ${run.model} ${run.sweep ?? ''} ${run.state} ${markText(run.mark)}`;
      return isOf(run, state) && words.every((one) => own.toLowerCase().includes(one));
    })
    .map((run) => ({ run, by: columnOf(sort).of(run, 0)?.by ?? null }))
    .sort((a, b) => {
      if (a.by === b.by) return b.run.createdAt.localeCompare(a.run.createdAt);
      if (a.by === null || b.by === null) return a.by === null ? 1 : -1;
      return a.by < b.by === descending ? 1 : -1;
    })
    .map(({ run }) => run);
};
