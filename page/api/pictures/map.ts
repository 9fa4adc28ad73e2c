// The map of a run: programs in cells by two features, each cell with the best program that it has had up to a step.
// The cells are those of the run's archive as far as it has them, with its bounds as they are now, so that cells stay
// where they are while the steps go by.
import { type Axis, quantileEdges } from '../../../evolution/archives/cell-space.ts';
import { firstIndex } from '../../../evolution/binary-search.ts';
import { KdTree } from '../../../evolution/archives/tessellation.ts';
import { keepBest } from '../program/keep-best.ts';
import type { Traits } from '../run/traits.ts';

/** `feature` is a measured one of the run, or score, length, island, step or reward. */
export type MapAxis = Omit<Axis, 'feature' | 'index'> & {
  readonly feature: string;
  /** Its place among the axes of the archive; -1 where the archive does not have it. */
  readonly index: number;
};

const BINS = 20;
const MOST_STEPS = 40;
export const plainAxis = (feature: string): MapAxis => ({
  ...{ feature, index: -1, bins: BINS, scale: 'linear', fixed: null },
});

/** The axes that can be chosen, those of the archive first. `more` are further features. */
export const axesOf = (
  { archive, islands }: Pick<Traits, 'archive' | 'islands'>,
  steps: number,
  more: readonly string[] = [],
): readonly MapAxis[] => {
  const own = archive.axes.map((axis, index): MapAxis => ({ ...axis, index }));
  const whole = (count: number, bins: number): Partial<MapAxis> => ({ bins, fixed: [-0.5, count - 0.5] });
  const special: { readonly [feature: string]: Partial<MapAxis> } = {
    island: whole(islands, islands),
    step: whole(steps + 1, Math.min(MOST_STEPS, steps + 1)),
  };
  const others = new Set(['score', 'length', 'island', 'step', 'reward', ...more]);
  for (const { feature } of own) others.delete(feature);
  return [...own, ...Array.from(others, (feature) => ({ ...plainAxis(feature), ...special[feature] }))];
};

/** Values of an axis in the scale of the archive, where more is better for the score. NaN for none. */
export type Values = ArrayLike<number>;

export type Bins = {
  readonly axis: MapAxis;
  /** From 0 to 1; NaN where the program has no value on this axis. */
  readonly at: Float64Array;
  /** The borders of the bins, one more than there are bins. */
  readonly borders: readonly number[];
};

/** Round numbers from `low` to `high`, at most about `most` of them, and no nearer to each other than `apart`. */
export const roundTicks = (low: number, high: number, most: number, apart = 0): readonly number[] => {
  const least = Math.max(apart, (high - low) / Math.max(1, most));
  if (!(least > 0) || !Number.isFinite(least)) return [low];
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5].find((one) => one * power >= least) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  // Made anew from whole numbers, so that 0.3 is not 0.30000000000000004.
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
};

/** `counts` holds for the valid programs, of which the bounds are made. */
export const binsOf = (axis: MapAxis, values: Values, counts: (row: number) => boolean): Bins => {
  const usable = (value: number): boolean => Number.isFinite(value) && (axis.scale !== 'log' || value > 0);
  let [min, max] = [Infinity, -Infinity];
  const known: number[] = [];
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    if (!usable(value) || !counts(row)) continue;
    if (axis.scale === 'quantile') known.push(value);
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  const edges = axis.scale === 'quantile' ? quantileEdges(axis, known) : [];
  const [low, high] = axis.fixed ?? (min <= max ? [min, max] : [0, 1]);
  const part = (index: number): number => {
    const share = index / axis.bins;
    if (axis.scale === 'log') return Math.exp(Math.log(low) + share * (Math.log(high) - Math.log(low)));
    if (axis.scale === 'linear') return low + share * (high - low);
    return index === 0 ? low : index === axis.bins ? high : (edges[index - 1] ?? high);
  };
  const at = scaledBy(axis, values, axis.fixed ?? (min <= max ? [min, max] : null), edges);
  return { axis, at, borders: Array.from({ length: axis.bins + 1 }, (_, index) => part(index)) };
};

/** As `scaled` of the archive says, for many values at once. */
const scaledBy = (
  { scale, bins }: MapAxis,
  values: Values,
  bounds: readonly [number, number] | null,
  edges: readonly number[],
): Float64Array => {
  const at = new Float64Array(values.length).fill(Number.NaN);
  const of = scale === 'log' ? Math.log : (value: number): number => value;
  const [low, high] = bounds === null ? [0, 0] : [of(bounds[0]) / 2, of(bounds[1]) / 2];
  const range = high - low;
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    if (!Number.isFinite(value) || (scale === 'log' && value <= 0)) continue;
    if (scale === 'quantile') at[row] = (firstIndex(edges.length, (index) => edges[index]! > value) + 0.5) / bins;
    else at[row] = range > 0 ? Math.min(1, Math.max(0, (of(value) / 2 - low) / range)) : 0;
  }
  return at;
};

export type Cells = {
  readonly count: number;
  /** The cell of each program; -1 where it has none. */
  readonly of: Int32Array;
  /** The places of CVT cells on the two axes, from 0 to 1; null for a grid, whose cell is `x * bins of y + y`. */
  readonly points: readonly (readonly [number, number])[] | null;
  /** Each program is a cell of its own. */
  readonly areSingle?: true;
};

const binAt = ({ axis, at }: Bins, row: number): number => Math.min(axis.bins - 1, Math.floor(axis.bins * at[row]!));

export const gridCells = (x: Bins, y: Bins): Cells => {
  const of = new Int32Array(x.at.length).fill(-1);
  for (let row = 0; row < of.length; row++)
    if (!Number.isNaN(x.at[row]!) && !Number.isNaN(y.at[row]!)) of[row] = binAt(x, row) * y.axis.bins + binAt(y, row);
  return { count: x.axis.bins * y.axis.bins, of, points: null };
};

/** Each program that counts is a cell of its own, at its place on the two axes. */
export const programCells = (x: Bins, y: Bins, counts: (row: number) => boolean): Cells => {
  const of = new Int32Array(x.at.length).fill(-1);
  const points: (readonly [number, number])[] = [];
  for (let row = 0; row < of.length; row++) {
    if (Number.isNaN(x.at[row]!) || Number.isNaN(y.at[row]!) || !counts(row)) continue;
    of[row] = points.length;
    points.push([x.at[row]!, y.at[row]!]);
  }
  return { count: points.length, of, points, areSingle: true };
};

/** `all` are the bins of every axis of the archive, in its order; `x` and `y` are the two of them that are shown. */
export const centroidCells = (
  centroids: readonly (readonly number[])[],
  all: readonly Bins[],
  [x, y]: readonly [number, number],
): Cells => {
  const tree = new KdTree(centroids);
  return {
    count: centroids.length,
    of: Int32Array.from(all[0]!.at, (_, row) => {
      const place = all.map(({ at }) => at[row]!);
      return place.some(Number.isNaN) ? -1 : tree.nearest(place);
    }),
    points: centroids.map((point) => [point[x]!, point[y]!] as const),
  };
};

export type MapRows = {
  readonly cells: Cells;
  /** Higher is better; NaN for a program that is not valid. */
  readonly fit: ArrayLike<number>;
  /** Never falls. */
  readonly step: ArrayLike<number>;
  readonly island: ArrayLike<number>;
  /** The only island that counts; null for all. */
  readonly only: number | null;
};

/**
 * The contents of the cells after a step. Going on to a later step looks only at the programs that came since; going
 * back begins anew, which takes a few milliseconds with 100,000 programs.
 */
export class MapFold {
  readonly rows: MapRows;
  /** The best program of each cell, -1 for an empty one. */
  readonly best: Int32Array;
  /** Valid programs of each cell. */
  readonly held: Uint32Array;
  covered = 0;
  /** The sum of the best fits over the covered cells. */
  sum = 0;
  #next = 0;
  #step = -1;

  constructor(rows: MapRows) {
    this.rows = rows;
    this.best = new Int32Array(rows.cells.count).fill(-1);
    this.held = new Uint32Array(rows.cells.count);
  }

  to(last: number): this {
    if (last < this.#step) {
      this.best.fill(-1);
      this.held.fill(0);
      this.covered = this.sum = this.#next = 0;
    }
    this.#step = last;
    const { cells, fit, step, island, only } = this.rows;
    for (; this.#next < cells.of.length && step[this.#next]! <= last; this.#next++) {
      const row = this.#next;
      const cell = cells.of[row]!;
      if (cell < 0 || Number.isNaN(fit[row]!) || (only !== null && island[row] !== only)) continue;
      this.held[cell]! += 1;
      const before = this.best[cell]!;
      if (before >= 0 && fit[before]! >= fit[row]!) continue;
      this.best[cell] = row;
      this.sum += fit[row]! - (before < 0 ? 0 : fit[before]!);
      if (before < 0) this.covered++;
    }
    return this;
  }
}

/** After each step: cells that hold a program, and the QD score, the sum over them of how much better than `worst`. */
export type Curve = {
  readonly steps: readonly number[];
  readonly covered: readonly number[];
  readonly quality: readonly number[];
};

export const curveOf = (rows: MapRows, steps: number, worst: number): Curve => {
  const fold = new MapFold(rows);
  const curve = { steps: [] as number[], covered: [] as number[], quality: [] as number[] };
  for (let step = 0; step <= steps; step++) {
    fold.to(step);
    curve.steps.push(step);
    curve.covered.push(fold.covered);
    curve.quality.push(fold.sum - fold.covered * worst);
  }
  return curve;
};

/** The programs of a cell up to a step, best first, at most so many. */
export const heldIn = (
  { cells, fit, step, island, only }: MapRows,
  cell: number,
  last: number,
  most: number,
): readonly number[] => {
  const kept: number[] = [];
  for (let row = 0; row < cells.of.length && step[row]! <= last; row++)
    if (cells.of[row] === cell && !Number.isNaN(fit[row]!) && (only === null || island[row] === only))
      keepBest(kept, row, most, (one) => fit[one]!);
  return kept;
};

/**
 * The cell beside one in a direction; of CVT cells the nearest that lies that way. The same cell where there is none.
 */
export const beside = (
  { count, points }: Cells,
  binsY: number,
  cell: number,
  [dx, dy]: readonly [number, number],
): number => {
  if (points === null) {
    const [x, y] = [Math.floor(cell / binsY) + dx, (cell % binsY) + dy];
    return x < 0 || y < 0 || y >= binsY || x * binsY + y >= count ? cell : x * binsY + y;
  }
  const [x, y] = points[cell]!;
  let [found, least] = [cell, Infinity];
  for (const [other, [px, py]] of points.entries()) {
    const along = (px - x) * dx + (py - y) * dy;
    const aside = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
    const far = along + 2 * aside;
    if (along > 0 && aside <= 2 * along && far < least) [found, least] = [other, far];
  }
  return found;
};

/** The cell of the best program; -1 where none holds any. */
export const bestCell = ({ best, rows: { fit } }: MapFold): number => {
  let found = -1;
  for (let cell = 0; cell < best.length; cell++)
    if (best[cell]! >= 0 && (found < 0 || fit[best[cell]!]! > fit[best[found]!]!)) found = cell;
  return found;
};
