// The answers about runs as a whole, and the choice, order and groups of their cards. Files of this folder import types
// alone from rooms that no browser has.
import type { RunReport } from '../../../client/read/report.ts';
import type { StopReason } from '../../../evolution/budget/limits.ts';
import type { Json } from '../../../evolution/types.ts';
import type { Glance, Goals } from './overview.ts';

export type { RunReport } from '../../../client/read/report.ts';

/** A run as its card shows it. */
export type RunCard = RunReport & {
  /** Null where the task cannot be read any more. */
  readonly known: Goals | null;
  /** Programs an hour over the last steps; null where it makes none at the moment. */
  readonly perHour: number | null;
  readonly next: Glance['next'];
  readonly model: string;
  /** The settings in which a run of a sweep differs from the others; null for a run of none. */
  readonly varied: { readonly [key: string]: Json } | null;
};

/** GET overview. */
export type Overview = {
  readonly runs: readonly RunCard[];
  /** Sentences about the whole list, such as that an engine does not answer. */
  readonly notes: readonly string[];
};

export const ORDERS = {
  newest: 'newest first',
  attention: 'what needs a person first',
  best: 'best first',
  cost: 'dearest first',
  name: 'by name',
} as const;
export type Order = keyof typeof ORDERS;
export const STATES = { '': 'all', open: 'open', attention: 'needs a person', ended: 'ended' } as const;
export type StateFilter = keyof typeof STATES;

export type Wanted = { readonly text: string; readonly state: StateFilter; readonly order: Order };

/** A run that ended by a limit records its setting alone. */
const LIMITS: { readonly [reason in StopReason]: string } = {
  steps: 'its limit of steps',
  programs: 'its limit of programs',
  tokens: 'its limit of tokens',
  costUsd: 'its limit of cost',
  wallSeconds: 'its limit of time',
  targetScore: 'the score to reach',
  noImprovementPrograms: 'its limit of programs without a better one',
  stagnantEpochs: 'its limit of steps without progress',
};

const limitOf = (stopReason: string): string | null =>
  Object.hasOwn(LIMITS, stopReason) ? LIMITS[stopReason as StopReason] : null;

/** Why a run ended, beside its state: `ended by its limit of steps`. */
export const endInWords = (stopReason: string): string => {
  const limit = limitOf(stopReason);
  return limit === null ? `ended: ${stopReason}` : `ended by ${limit}`;
};

/** The end of a run in words: `finished by its limit of steps`, `stopped: by a person: it is good enough`. */
export const endOf = (status: string, stopReason: string): string => {
  const limit = limitOf(stopReason);
  if (limit !== null) return `${status} by ${limit}`;
  return `${status}: ${stopReason.startsWith(`${status} `) ? stopReason.slice(status.length + 1) : stopReason}`;
};

const ENDED = new Set(['finished', 'stopped', 'terminated']);

const isOf = (run: RunCard, state: StateFilter): boolean =>
  state === '' || (state === 'attention' ? run.next.urgent : ENDED.has(run.state) === (state === 'ended'));

/** Higher is better; a run without a score comes last. */
const merit = ({ best, known }: RunCard): number =>
  best === null ? -Infinity : known?.direction === 'minimise' ? -best.ranking : best.ranking;

const compared: { readonly [order in Order]: (a: RunCard, b: RunCard) => number } = {
  newest: (a, b) => b.createdAt.localeCompare(a.createdAt),
  attention: (a, b) => Number(b.next.urgent) - Number(a.next.urgent) || b.createdAt.localeCompare(a.createdAt),
  // Scores of two tasks say nothing of each other.
  best: (a, b) => a.task.localeCompare(b.task) || (merit(b) === merit(a) ? 0 : merit(b) - merit(a)),
  cost: (a, b) => b.paid.costUsd - a.paid.costUsd || b.paid.tokens - a.paid.tokens,
  name: (a, b) => a.run.localeCompare(b.run),
};

/** Runs of a sweep stand together, where the first of them stands. */
export type Group = { readonly sweep: string | null; readonly runs: readonly RunCard[] };

export const grouped = (runs: readonly RunCard[], { text, state, order }: Wanted): readonly Group[] => {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const chosen = runs
    .filter((run) => isOf(run, state))
    .filter((run) => {
      const said = `${run.run} ${run.task} ${run.method} ${run.model} ${run.sweep ?? ''} ${run.state}`.toLowerCase();
      return words.every((word) => said.includes(word));
    })
    .toSorted(compared[order]);
  const groups: { sweep: string | null; runs: RunCard[] }[] = [];
  for (const run of chosen) {
    const group =
      run.sweep === null
        ? groups.at(-1)?.sweep === null && groups.at(-1)
        : groups.find(({ sweep }) => sweep === run.sweep);
    if (group) group.runs.push(run);
    else groups.push({ sweep: run.sweep, runs: [run] });
  }
  return groups;
};

/** The distance to a value to reach, negative where it is surpassed; null where there is none. */
export const shortOf = (
  best: number | null | undefined,
  value: number | null | undefined,
  known: Goals | null,
): number | null =>
  best == null || value == null ? null : known?.direction === 'minimise' ? best - value : value - best;
