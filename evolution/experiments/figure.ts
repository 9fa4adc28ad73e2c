// The figure of an experiment as data: panels of lines and points with the paper's numbers in them. Who draws it is in
// page/view/charts/figure.ts.
import type { Rollup } from '../ideas/rounds.ts';
import { type Axis, bestAt, type Point } from '../reports/compare.ts';
import { score } from '../reports/number-text.ts';
import { gainOver } from '../scoring/ranking.ts';
import { meanOf, medianOf } from '../statistics.ts';
import type { Direction } from '../types.ts';
import { type CellReport, onPaperScale } from './beside.ts';
import type { Cell } from './plan.ts';
import type { Experiment, FigureSpec, Printed } from './spec.ts';

/** A committed step. `rounds` counts what became of the ideas so far; left out where a run has none. */
export type StepPoint = Point & { readonly rounds?: Readonly<Record<Rollup, number>> };

/** A run along its committed steps, of which there is one at least. */
export type RunSeries = {
  readonly points: readonly StepPoint[];
  /** The judge's scores of its ideas, 0 to 10. */
  readonly ideas: readonly number[];
};

/** A cell of the table with its runs. */
export type DrawnCell = {
  readonly cell: Cell;
  readonly report: CellReport;
  readonly direction: Direction;
  readonly runs: readonly RunSeries[];
};

/** Values at the places of the panel's axis; null where there is none. */
type Values = readonly (number | null)[];
export type PanelLine = {
  readonly name: string;
  readonly as: 'curve' | 'points';
  /** The paper's numbers, and not ours. */
  readonly ofPaper?: true;
  readonly values: Values;
  /** The least and the most over the seeds; left out where there is one run. */
  readonly range?: { readonly low: Values; readonly high: Values };
};
export type Panel = {
  readonly title: string;
  readonly axis: Axis | 'idea';
  readonly shows: FigureSpec['y'][number] | 'share';
  readonly x: readonly number[];
  readonly lines: readonly PanelLine[];
  /** Numbers that the paper prints without a place on the axis. */
  readonly levels: readonly { readonly name: string; readonly value: number }[];
  /** The picture in sentences. */
  readonly says: readonly string[];
};

/** One panel for each case and each thing that is shown; none of a case without runs. */
export const figureOf = (experiment: Experiment, cells: readonly DrawnCell[]): readonly Panel[] => {
  const { figure, cases } = experiment;
  return cases.flatMap(({ id, title }) => {
    const own = cells.filter(({ cell }) => cell.of.id === id);
    if (own.every(({ runs }) => runs.length === 0)) return [];
    if (figure.kind === 'points') return [pointsPanel(title, figure, own)];
    if (figure.kind === 'distribution') return [ideasPanel(title, own)];
    return figure.y.map((shows) => curvePanel(title, figure.x, shows, own));
  });
};

const PLACES = 60;

/** Places up to the end of the longest run. */
const placesOf = (cells: readonly DrawnCell[], axis: Axis): readonly number[] => {
  const ends = cells.flatMap(({ runs }) => runs.map(({ points }) => points.at(-1)![axis]));
  const end = Math.max(0, ...ends);
  const even = Array.from({ length: PLACES }, (_, at) => (end * (at + 1)) / PLACES);
  const whole = axis === 'programs' || axis === 'tokens' ? even.map(Math.ceil) : even;
  const places = [...new Set([...whole, ...ends])].filter((place) => place > 0).sort((a, b) => a - b);
  // Runs that cost nothing stand at their only place on an axis of cost.
  return places.length === 0 ? [0] : places;
};

type Shows = (run: RunSeries, axis: Axis, at: number) => number | null;

const lastTo = ({ points }: RunSeries, axis: Axis, at: number) => points.findLast((point) => point[axis] <= at);

/** What each line of a panel shows, by the end of its name. */
const SHOWN: { readonly [shows in FigureSpec['y'][number]]: { readonly [name: string]: Shows } } = {
  score: { '': ({ points }, axis, at) => bestAt({ points }, axis, at) },
  costUsd: { '': (run, axis, at) => lastTo(run, axis, at)?.costUsd ?? null },
  tokensEach: {
    '': ({ points }, axis, at) => {
      const place = points.findLastIndex((point) => point[axis] <= at);
      const [before, now] = [points[place - 1], points[place]];
      const made = before === undefined ? 0 : now!.programs - before.programs;
      return made <= 0 ? null : (now!.tokens - before!.tokens) / made;
    },
  },
  rounds: Object.fromEntries(
    (['scrapped', 'success', 'failure'] as const).map((kind): [string, Shows] => [
      `, ${kind}`,
      (run, axis, at) => lastTo(run, axis, at)?.rounds?.[kind] ?? null,
    ]),
  ),
};

const curvePanel = (title: string, axis: Axis, shows: FigureSpec['y'][number], cells: readonly DrawnCell[]): Panel => {
  const x = placesOf(cells, axis);
  // What is read of the runs of another row has the line of that row.
  const drawn = cells.filter(({ runs, cell }) => runs.length > 0 && cell.atStep === null);
  const lines = drawn.flatMap(({ cell, direction, runs }) => {
    const scale = shows === 'score' ? onPaperScale(cell.of, direction).of : (value: number) => value;
    return Object.entries(SHOWN[shows]).map(([end, value]): PanelLine => {
      // What differs beyond ten digits is the same: an axis of roundings would show a rise where there is none.
      const each = x.map((at) =>
        runs
          .flatMap((run) => (at > run.points.at(-1)![axis] ? [] : (value(run, axis, at) ?? [])))
          .map((one) => Number(scale(one).toPrecision(10))),
      );
      return { name: `${cell.row.name}${end}`, as: 'curve', values: each.map(meanOf), ...rangeOf(runs.length, each) };
    });
  });
  const printed = shows === 'score' ? printedIn(cells, axis) : { points: [], levels: [] };
  const all = withPlaces(x, lines, printed.points);
  return { title, axis, shows, ...all, levels: printed.levels, says: lines.map(endOf) };
};

const rangeOf = (runs: number, each: readonly (readonly number[])[]): Pick<PanelLine, 'range'> => {
  if (runs < 2) return {};
  const of = (pick: (...all: number[]) => number): Values =>
    each.map((all) => (all.length === 0 ? null : pick(...all)));
  return { range: { low: of(Math.min), high: of(Math.max) } };
};

const endOf = ({ name, values }: PanelLine): string =>
  `${name}: ${score(
    values.findLast((one) => one !== null),
    7,
  )}`;

const bestPrinted = ({ best, mean }: Printed): number | null => best ?? mean ?? null;

type PrintedPoint = { readonly name: string; readonly x: number; readonly y: number };

/** The paper's scores: at their place where the paper prints that too, else across the whole panel. */
const printedIn = (cells: readonly DrawnCell[], axis: Axis) => {
  const points: PrintedPoint[] = [];
  const levels: Panel['levels'][number][] = [];
  for (const { cell, report } of cells) {
    const value = bestPrinted(report.paper);
    // A metric of the best program is no score along the run.
    if (value === null || cell.of.incomparable !== undefined || cell.of.metric !== undefined) continue;
    const { tokens, costUsd, hours } = report.paper;
    const place = { programs: undefined, tokens, costUsd, seconds: hours === undefined ? undefined : hours * 3600 }[
      axis
    ];
    const name = `${cell.row.name} (paper)`;
    if (place === undefined) levels.push({ name, value });
    else points.push({ name, x: place, y: value });
  }
  return { points, levels };
};

/** The lines with the paper's points, each of which has a place of its own on the axis. */
const withPlaces = (
  x: readonly number[],
  lines: readonly PanelLine[],
  points: readonly PrintedPoint[],
): Pick<Panel, 'x' | 'lines'> => {
  const places = [...new Set([...x, ...points.map((point) => point.x)])].sort((a, b) => a - b);
  const spread = (values: Values): Values => places.map((place) => values[x.indexOf(place)] ?? null);
  return {
    x: places,
    lines: [
      ...lines.map(({ values, range, ...line }) => ({
        ...{ ...line, values: spread(values) },
        ...(range === undefined ? {} : { range: { low: spread(range.low), high: spread(range.high) } }),
      })),
      ...points.map((point) => ({
        ...{ name: point.name, as: 'points' as const, ofPaper: true as const },
        values: places.map((place) => (place === point.x ? point.y : null)),
      })),
    ],
  };
};

/** A point for each row: the mean of its runs at their ends. */
const pointsPanel = (title: string, { x: axis, series }: FigureSpec, cells: readonly DrawnCell[]): Panel => {
  const at = cells.flatMap(({ cell, report: { ours, paper }, runs }) => {
    const name = series.find((beginning) => cell.row.name.startsWith(beginning)) ?? cell.row.name;
    const place = meanOf(runs.map(({ points }) => points.at(-1)![axis]));
    const printed = axis === 'tokens' ? paper.tokens : axis === 'costUsd' ? paper.costUsd : undefined;
    const [value, best] = [ours?.mean ?? null, bestPrinted(paper)];
    return [
      ...(place === null || value === null ? [] : [{ name, row: cell.row.name, x: place, y: value }]),
      ...(printed === undefined || best === null || cell.of.incomparable !== undefined
        ? []
        : [{ name: `${name} (paper)`, row: `${cell.row.name} (paper)`, x: printed, y: best }]),
    ];
  });
  const x = [...new Set(at.map((point) => point.x))].sort((a, b) => a - b);
  const lines = [...Map.groupBy(at, ({ name }) => name)].map(([name, own]): PanelLine => ({
    ...{ name, as: 'points' },
    values: x.map((place) => own.find((point) => point.x === place)?.y ?? null),
  }));
  const says = at.map(({ row, x: place, y }) => `${row}: ${score(y, 7)} at ${score(place, 6)}`);
  return { title, axis, shows: 'score', x, lines, levels: [], says };
};

/** The share of a row's ideas that have at most a score. */
const ideasPanel = (title: string, cells: readonly DrawnCell[]): Panel => {
  const rows = cells
    .map(({ cell, runs }) => ({ name: cell.row.name, ideas: runs.flatMap((run) => run.ideas).sort((a, b) => a - b) }))
    .filter(({ ideas }) => ideas.length > 0);
  const x = [...new Set([0, 10, ...rows.flatMap(({ ideas }) => ideas)])].sort((a, b) => a - b);
  const lines = rows.map(({ name, ideas }): PanelLine => ({
    ...{ name, as: 'curve' },
    values: x.map((place) => ideas.filter((one) => one <= place).length / ideas.length),
  }));
  const says = rows.map(
    ({ name, ideas }) =>
      `${name}: ${ideas.length} ideas with a score, mean ${score(meanOf(ideas), 3)}, median ${score(medianOf(ideas), 3)}`,
  );
  return { title, axis: 'idea', shows: 'share', x, lines, levels: [], says };
};

/** In how many cases a row has the best score, of those in which it is compared with another. */
export type Won = { readonly won: number; readonly of: number };
/** By the paper's numbers and by ours; null where the row is compared nowhere. */
export type Wins = { readonly row: string; readonly paper: Won | null; readonly ours: Won | null };

export const winsOf = (
  { rows }: Pick<Experiment, 'rows'>,
  cells: readonly Pick<DrawnCell, 'cell' | 'report' | 'direction'>[],
): readonly Wins[] => {
  const byCase = [...Map.groupBy(cells, ({ cell }) => cell.of.id).values()];
  const wonBy = (value: (report: CellReport) => number | null): ReadonlyMap<string, Won> => {
    const won = new Map<string, Won>();
    for (const own of byCase) {
      const { direction } = onPaperScale(own[0]!.cell.of, own[0]!.direction);
      const compared = own.flatMap(({ report }) => {
        const one = value(report);
        return one === null ? [] : [{ row: report.row, one }];
      });
      if (compared.length < 2) continue;
      const [first] = compared.toSorted((a, b) => gainOver(direction, b.one, a.one));
      for (const { row, one } of compared) {
        const before = won.get(row) ?? { won: 0, of: 0 };
        won.set(row, { won: before.won + (one === first!.one ? 1 : 0), of: before.of + 1 });
      }
    }
    return won;
  };
  const paper = wonBy((report) => bestPrinted(report.paper));
  const ours = wonBy((report) => report.ours?.mean ?? null);
  return rows.flatMap(({ name: row }) => {
    const wins = { row, paper: paper.get(row) ?? null, ours: ours.get(row) ?? null };
    return wins.paper === null && wins.ours === null ? [] : [wins];
  });
};
