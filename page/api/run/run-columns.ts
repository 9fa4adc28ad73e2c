// The columns of the list of runs: what each says, and what it is sorted by. A column is an entry here; where it is more
// than a text, its cell is in page/view/runs/cells.tsx. All functions are pure.
import { compact, count, duration, score, usd } from '../../../evolution/reports/number-text.ts';
import { hasEnded } from '../../../evolution/run-states.ts';
import { asFit, gainOver } from '../../../evolution/scoring/ranking.ts';
import { firstOf, forecast, type Forecast, type StopReason } from './overview.ts';
import { limitWords, type RunCard } from './runs.ts';
import { paramText } from './sweeps.ts';

/** Eight digits: a list is no place for more, and the run's own page has them. */
const short = (value: number): string => score(value, 8);
/** In the largest unit alone, which is enough beside others. */
const about = (seconds: number): string =>
  duration(Math.max(0, Math.round(seconds)))
    .split(' ', 2)
    .join(' ');
const ago = (iso: string, now: number): string => `${about((now - Date.parse(iso)) / 1000)} ago`;

const UNITS: { readonly [limit in StopReason]?: readonly [unit: string, text: (value: number) => string] } = {
  steps: [' steps', count],
  programs: [' programs', count],
  tokens: [' tokens', compact],
  costUsd: ['', usd],
  wallSeconds: ['', duration],
};

/** The limit of which the largest part is spent; null where none is set. */
export const progressOf = (run: RunCard): (Forecast & { readonly share: number }) | null =>
  run.limits
    .filter(({ limit }) => Object.hasOwn(UNITS, limit))
    .map((one) => forecast(one, null))
    .reduce<Forecast | null>((most, one) => (most === null || one.share! > most.share! ? one : most), null) as
    | (Forecast & { readonly share: number })
    | null;

const progressText = (run: RunCard): string => {
  const most = progressOf(run);
  if (most === null) return `${count(run.steps)} ${run.steps === 1 ? 'step' : 'steps'}`;
  const [unit, text] = UNITS[most.limit]!;
  return `${text(most.spent)} of ${text(most.of)}${unit}`;
};

/** The limit that ends the run first at the present rate; null for a run that makes nothing at the moment. */
const endOf = ({ limits, rate, state }: RunCard): Forecast | null =>
  rate === null || state !== 'running' ? null : firstOf(limits.map((one) => forecast(one, rate)));

const costText = ({ limits, paid }: RunCard): string => {
  const limit = limits.find((one) => one.limit === 'costUsd');
  return limit === undefined ? usd(paid.costUsd) : `${usd(paid.costUsd)} of ${usd(limit.of)}`;
};

/** The score that does not rank, where it is another number. */
export const otherScore = ({ best }: RunCard): string | null => {
  if (best === null || best.strictScore === null || short(best.strictScore) === short(best.score)) return null;
  return best.ranking === best.score ? `strict ${short(best.strictScore)}` : `tolerant ${short(best.score)}`;
};

type Gap = { readonly value: number; readonly goal: number; readonly name: string; readonly share: number | null };

/** The distance to the best known value, or else to the paper's; below 0 where the run is better. */
export const gapOf = ({ best, known }: RunCard): Gap | null => {
  const { bestKnown = null, paper = null } = known ?? {};
  const goal = bestKnown?.value ?? paper;
  if (best === null || known === null || goal === null) return null;
  const own = bestKnown === null ? best.ranking : bestKnown.strict ? (best.strictScore ?? best.ranking) : best.score;
  const value = gainOver(known.direction, goal, own);
  const name =
    bestKnown === null ? 'the value of the paper' : `the best known${bestKnown.strict ? ' strict' : ''} value`;
  return { value, goal, name, share: goal === 0 ? null : value / Math.abs(goal) };
};

const gapText = (run: RunCard): string => {
  const gap = gapOf(run);
  if (gap === null) return '–';
  if (gap.value === 0) return 'reached';
  const size = gap.share === null ? score(Math.abs(gap.value), 3) : `${score(100 * Math.abs(gap.share), 3)} %`;
  return gap.value < 0 ? `${size} better` : size;
};

/** What needs a person comes first, then what is open. */
const rankOf = (run: RunCard): number =>
  run.next.urgent ? 0 : hasEnded({ status: run.state }) ? 3 : run.state === 'queued' ? 2 : 1;

export type RunColumn = {
  readonly title: string;
  /** It stands at the right. */
  readonly number?: true;
  /** It is sorted by this, at first as `first` says; null comes last, whatever the direction. */
  readonly by?: (run: RunCard) => string | number | null;
  readonly first?: 'desc';
  readonly text: (run: RunCard, now: number) => string;
  /** What the text leaves out. */
  readonly more?: (run: RunCard) => string | null;
  /** Left out: there are always such runs. */
  readonly when?: (runs: readonly RunCard[]) => boolean;
};

const taskOf = ({ known, task }: RunCard): string => known?.title ?? task;

export const COLUMNS = {
  run: {
    title: 'run',
    by: ({ run }) => run,
    text: ({ run }) => run,
    more: ({ varied, seed }) => (varied === null ? null : `${paramText(varied)}, seed = ${seed}`),
  },
  state: { title: 'state', by: rankOf, text: ({ state }) => state, more: ({ next }) => next.what },
  task: { title: 'task', by: taskOf, text: taskOf, when: (runs) => new Set(runs.map(({ task }) => task)).size > 1 },
  method: {
    title: 'method',
    by: ({ method }) => method,
    text: ({ method }) => method,
    more: ({ model }) => `model ${model}`,
  },
  trend: {
    title: 'best so far',
    text: ({ trend }) =>
      trend.length === 0
        ? '–'
        : `from ${short(trend[0]![1])} to ${short(trend.at(-1)![1])} over ${trend.at(-1)![0]} steps`,
  },
  best: {
    title: 'best',
    number: true,
    first: 'desc',
    by: ({ best, known }) => (best === null ? null : asFit(best.ranking, known?.direction ?? 'maximise')),
    text: ({ best }) => (best === null ? '–' : short(best.ranking)),
    more: ({ best }) => best && score(best.ranking),
  },
  gap: {
    title: 'gap to best known',
    number: true,
    by: (run) => {
      const gap = gapOf(run);
      return gap && (gap.share ?? gap.value);
    },
    text: gapText,
    more: (run) => {
      const gap = gapOf(run);
      return (
        gap &&
        `${score(Math.abs(gap.value), 3)} ${gap.value < 0 ? 'better than' : 'to'} ${score(gap.goal)}, ${gap.name}`
      );
    },
  },
  progress: { title: 'progress', first: 'desc', by: (run) => progressOf(run)?.share ?? null, text: progressText },
  left: {
    title: 'time left',
    number: true,
    by: (run) => endOf(run)?.seconds ?? null,
    text: (run) => {
      const end = endOf(run);
      return end === null ? '–' : about(end.seconds!);
    },
    more: (run) => {
      const end = endOf(run);
      return end && `until ${limitWords(end.limit)}, at the present rate`;
    },
  },
  cost: {
    title: 'cost',
    number: true,
    first: 'desc',
    by: ({ paid }) => paid.costUsd || paid.tokens * 1e-12,
    text: costText,
    more: ({ paid }) => `${count(paid.tokens)} tokens`,
  },
  improved: {
    title: 'last improvement',
    first: 'desc',
    by: ({ improved }) => improved && Date.parse(improved.at),
    text: ({ improved }, now) => (improved === null ? '–' : `step ${count(improved.step)}, ${ago(improved.at, now)}`),
  },
  begun: {
    title: 'begun',
    first: 'desc',
    by: ({ createdAt }) => Date.parse(createdAt),
    text: ({ createdAt }, now) => ago(createdAt, now),
  },
} as const satisfies { readonly [name: string]: RunColumn };

export type RunColumnName = keyof typeof COLUMNS;
export const columnOf = (name: RunColumnName): RunColumn => COLUMNS[name];
/** The columns that say something of these runs. */
export const columnsFor = (runs: readonly RunCard[]): readonly RunColumnName[] =>
  (Object.keys(COLUMNS) as RunColumnName[]).filter((name) => columnOf(name).when?.(runs) ?? true);

export const STATES = { '': 'all', open: 'open', attention: 'needs a person', ended: 'ended' } as const;
export type StateFilter = keyof typeof STATES;

export type Sorted = { readonly sort: RunColumnName; readonly descending: boolean };

/** The order that a click on a title asks for: the usual one of the column, and the other one behind it. */
export const sortedBy = (name: RunColumnName, { sort, descending }: Sorted): Sorted => ({
  sort: name,
  descending: sort === name ? !descending : columnOf(name).first === 'desc',
});

/** Runs of which the same is to be said stand with the newest first. */
const compared =
  ({ sort, descending }: Sorted) =>
  (a: RunCard, b: RunCard): number => {
    const by = columnOf(sort).by!;
    const [x, y] = [by(a), by(b)];
    const newest = b.createdAt.localeCompare(a.createdAt);
    if (x === y) return newest;
    if (x === null || y === null) return x === null ? 1 : -1;
    return (x < y ? -1 : 1) * (descending ? -1 : 1);
  };

const isOf = (run: RunCard, state: StateFilter): boolean =>
  state === '' || (state === 'attention' ? run.next.urgent : hasEnded({ status: run.state }) === (state === 'ended'));

export type Wanted = Sorted & { readonly text: string; readonly state: StateFilter };

export const listed = (runs: readonly RunCard[], { text, state, ...order }: Wanted): readonly RunCard[] => {
  const words = text.toLowerCase().split(/\s+/);
  return runs
    .filter((run) => {
      const said = `${run.run} ${run.task} ${run.method} ${run.model} ${run.sweep ?? ''} ${run.state}`.toLowerCase();
      return isOf(run, state) && words.every((word) => said.includes(word));
    })
    .toSorted(compared(order));
};
