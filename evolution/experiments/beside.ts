// The numbers of a paper beside ours, cell by cell, and as a table for people.
import { bestOf, gainOver } from '../scoring/ranking.ts';
import { deviationOf, meanOf } from '../statistics.ts';
import type { Direction, RunId } from '../types.ts';
import type { Cell } from './plan.ts';
import type { Case, Experiment, Printed } from './spec.ts';

/** The result of a run of a cell. */
export type CellRun = {
  readonly run: RunId;
  readonly seed: number;
  readonly state: string;
  /** The best score by the run's own ranking, on the scale of the task; null where nothing is valid. */
  readonly score: number | null;
  readonly programs: number;
  readonly tokens: number;
  readonly costUsd: number;
  readonly hours: number;
};

export type CellReport = {
  readonly row: string;
  readonly case: string;
  /** The paper's numbers. */
  readonly paper: Printed;
  /** On the paper's scale; means over the seeds that have a score. Null where no run is there yet. */
  readonly ours: {
    readonly seeds: number;
    readonly mean: number | null;
    /** The deviation of a sample; null with fewer than two scores. */
    readonly sd: number | null;
    readonly best: number | null;
    readonly worst: number | null;
    /** The score of each seed that has one. */
    readonly bySeed: { readonly [seed: string]: number };
    /** Means over the runs. */
    readonly programs: number;
    readonly tokens: number;
    readonly costUsd: number;
    readonly hours: number;
    readonly runs: readonly RunId[];
  } | null;
  /** Why a cell has no number of ours, or why it cannot be compared; null where there is nothing to say. */
  readonly note: string | null;
};

/** A score of ours on the paper's scale, and in which direction it is better there. */
export const onPaperScale = (
  { shown }: Pick<Case, 'shown'>,
  direction: Direction,
): { readonly direction: Direction; readonly of: (score: number) => number } => {
  if (shown === undefined) return { direction, of: (score) => score };
  if (shown.kind === 'factor') return { direction, of: (score) => shown.of * score };
  return { direction: direction === 'maximise' ? 'minimise' : 'maximise', of: (score) => shown.of / score };
};

/** `runs` are those of the cell's group, those that exist; none where the cell has no group. */
export const cellReport = (
  { row, of }: Pick<Cell, 'row' | 'of'>,
  runs: readonly CellRun[],
  direction: Direction,
): CellReport => {
  const scale = onPaperScale(of, direction);
  const scored = runs.flatMap(({ seed, score }) => (score === null ? [] : [{ seed, score: scale.of(score) }]));
  const scores = scored.map(({ score }) => score);
  const mean = (value: (run: CellRun) => number): number => meanOf(runs.map(value)) ?? 0;
  return {
    row: row.name,
    case: of.id,
    paper: row.values[of.id] ?? {},
    ours:
      runs.length === 0
        ? null
        : {
            seeds: runs.length,
            mean: meanOf(scores),
            sd: deviationOf(scores),
            best: bestOf(scale.direction, scores, (score) => score),
            worst: scores.length === 0 ? null : scores.toSorted((a, b) => gainOver(scale.direction, a, b))[0]!,
            bySeed: Object.fromEntries(scored.map(({ seed, score }) => [seed, score])),
            programs: mean((run) => run.programs),
            tokens: mean((run) => run.tokens),
            costUsd: mean((run) => run.costUsd),
            hours: mean((run) => run.hours),
            runs: runs.map(({ run }) => run),
          },
    note: noteOn({ row, of }, runs.length > 0),
  };
};

const noteOn = ({ row, of }: Pick<Cell, 'row' | 'of'>, hasRuns: boolean): string | null => {
  if (row.reported === true) return 'quoted by the paper';
  if (row.needs === 'policy' && !hasRuns) return 'needs a policy of another run: --policy <run>@<version>';
  if (of.scores !== undefined) return `the best programs of ${of.scores}, scored on ${of.instance ?? 'other data'}`;
  return of.incomparable ?? null;
};

const number = (value: number | null | undefined, digits = 7): string =>
  value === null || value === undefined ? '-' : String(Number(value.toPrecision(digits)));

/** `42: 2.5225, 1234: 2.2382`, in the order of the table. */
const bySeed = (values: { readonly [seed: string]: number } | undefined, digits: number): string =>
  values === undefined || Object.keys(values).length === 0
    ? '-'
    : Object.entries(values)
        .map(([seed, value]) => `${seed}: ${number(value, digits)}`)
        .join(', ');

/** The heading and a row for each cell that has a number. Columns that no cell fills are left out. */
export const besideTable = (
  { cases }: Pick<Experiment, 'cases'>,
  cells: readonly CellReport[],
): readonly (readonly string[])[] => {
  const titles = new Map(cases.map(({ id, title }) => [id, title]));
  // Each seed has a number where the paper prints one for each; elsewhere best, worst and deviation say enough.
  const seeded = cells.some(({ paper }) => paper.seeds !== undefined);
  const columns: readonly (readonly [string, (cell: CellReport) => string])[] = [
    ['case', (cell) => titles.get(cell.case) ?? cell.case],
    ['row', (cell) => cell.row],
    ['paper mean', ({ paper }) => number(paper.mean, 10)],
    ['paper best', ({ paper }) => number(paper.best, 10)],
    ['paper by seed', ({ paper }) => bySeed(paper.seeds, 10)],
    ['ours mean', ({ ours }) => number(ours?.mean)],
    ['ours sd', ({ ours }) => number(ours?.sd, 3)],
    ['ours best', ({ ours }) => number(ours?.best)],
    ['ours worst', ({ ours }) => number(ours?.worst)],
    ['ours by seed', ({ ours }) => (seeded ? bySeed(ours?.bySeed, 7) : '-')],
    ['seeds', ({ ours }) => (ours === null ? '-' : String(ours.seeds))],
    ['programs', ({ ours }) => number(ours?.programs, 6)],
    ['paper tokens', ({ paper }) => number(paper.tokens, 9)],
    ['tokens', ({ ours }) => number(ours === null ? null : Math.round(ours.tokens), 9)],
    ['paper USD', ({ paper }) => number(paper.costUsd)],
    ['USD', ({ ours }) => number(ours?.costUsd, 4)],
    ['paper hours', ({ paper }) => number(paper.hours)],
    ['hours', ({ ours }) => number(ours?.hours, 3)],
    ['note', ({ note }) => note ?? '-'],
  ];
  const order = cases.map(({ id }) => id);
  const rows = cells
    .filter(({ paper, ours }) => ours !== null || Object.keys(paper).length > 0)
    .toSorted((a, b) => order.indexOf(a.case) - order.indexOf(b.case));
  const filled = columns.filter(([, text]) => rows.some((cell) => text(cell) !== '-'));
  return [filled.map(([title]) => title), ...rows.map((cell) => filled.map(([, text]) => text(cell)))];
};

/** Columns that a narrow window leaves out, the least needed first. */
export const BESIDE_LEAST_FIRST: readonly string[] = [
  'hours',
  'paper hours',
  'USD',
  'paper USD',
  'programs',
  'ours worst',
  'ours sd',
  'paper tokens',
  'tokens',
  'note',
  'seeds',
  'ours by seed',
  'paper by seed',
];
