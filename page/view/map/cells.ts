// The map of an archive: the axes that the address chooses, the cell under a finger, the numbers at the axes, and a
// cell in words.
import { isNumber, numberEntry } from '../../../evolution/reports/program-numbers.ts';
import { type Bins, type Cells, type MapAxis, roundTicks } from '../../api/pictures/map.ts';
import { columnOf, type Rows } from '../../api/rows/rows.ts';
import { amount, score } from '../base/text.ts';

/** Values of a feature in the terms of the archive, where more is better. */
export const valuesOf = (feature: string, rows: Rows, fits: Float64Array): ArrayLike<number> => {
  if (feature === 'score') return fits;
  // Score and length are known of every program, and are among the measured features only by name.
  if (feature === 'length') return columnOf(rows, feature);
  const at = rows.names.features.indexOf(feature);
  return (
    rows.column[at >= 0 ? `f${at}` : feature] ?? rows.column[feature] ?? new Float64Array(rows.rows).fill(Number.NaN)
  );
};

export const titleOf = ({ feature }: MapAxis): string =>
  isNumber(feature) ? numberEntry(feature).title : feature.replace(/^metric:/, '').replaceAll('-', ' ');

/** A value of a feature as text. `sign` is -1 where smaller scores are better. */
export const textOf =
  ({ feature }: MapAxis, sign: 1 | -1) =>
  (value: number): string => {
    if (feature === 'score') return score(sign * value, 4);
    if (feature === 'length' || feature === 'step') return amount(Math.round(Math.max(0, value)));
    return isNumber(feature) && feature !== 'reward' ? numberEntry(feature).text(value as never) : score(value, 3);
  };

/** The two axes that are named, or else the first two of the `usual` ones. */
export const chosenAxes = (
  axes: readonly MapAxis[],
  [x, y]: readonly [string | null, string | null],
  usual: readonly MapAxis[] = axes,
): readonly [MapAxis, MapAxis] => {
  const named = (name: string | null): MapAxis | undefined => axes.find(({ feature }) => feature === name);
  const across = named(x) ?? usual[0] ?? axes[0]!;
  return [across, named(y) ?? usual.find(({ feature }) => feature !== across.feature) ?? axes[0]!];
};

/** The axes that say more than the colour of a cell, which is that of a score, and that have more than one place. */
export const beyondScore = (axes: readonly MapAxis[]): readonly MapAxis[] =>
  axes.filter(({ feature, bins }) => feature !== 'score' && feature !== 'reward' && bins > 1);

export type Grid = { readonly x: Bins; readonly y: Bins; readonly cells: Cells };

/** The cell as a person would name it: the ranges of its bins, or the values around which it lies. */
export const cellName = ({ x, y, cells }: Grid, cell: number, sign: 1 | -1): string => {
  const range = ({ axis, borders }: Bins, bin: number): string =>
    `${titleOf(axis)} ${textOf(axis, sign)(borders[bin]!)} to ${textOf(axis, sign)(borders[bin + 1]!)}`;
  const near = ({ axis, borders }: Bins, share: number): string =>
    `${titleOf(axis)} ${textOf(axis, sign)(borders[Math.round(share * axis.bins)]!)}`;
  const point = cells.points?.[cell];
  return point === undefined
    ? `${range(x, Math.floor(cell / y.axis.bins))}, ${range(y, cell % y.axis.bins)}`
    : `cell ${cell} around ${near(x, point[0])}, ${near(y, point[1])}`;
};

export type Place = { readonly left: number; readonly top: number; readonly width: number; readonly height: number };

/** The cell at a point of the canvas, where the map takes `place`; -1 for none. */
export const cellAt = (
  { x, y, cells }: Grid,
  { left, top, width, height }: Place,
  [px, py]: readonly [number, number],
) => {
  const [sx, sy] = [(px - left) / width, 1 - (py - top) / height];
  if (sx < 0 || sy < 0 || sx >= 1 || sy >= 1) return -1;
  if (cells.points === null) return Math.floor(sx * x.axis.bins) * y.axis.bins + Math.floor(sy * y.axis.bins);
  let [nearest, least] = [-1, Infinity];
  for (const [index, [cx, cy]] of cells.points.entries()) {
    const distance = Math.hypot((cx - sx) * width, (cy - sy) * height);
    if (distance < least) [nearest, least] = [index, distance];
  }
  return nearest;
};

/** `share` is the place on the axis, from 0 to 1. The ends of an axis of bins are marked. */
export type Tick = { readonly share: number; readonly value: number; readonly end: 'first' | 'last' | null };

const COUNTED: ReadonlySet<string> = new Set(['length', 'step', 'island']);

/** The numbers at an axis, at most about `room` of them: round ones, or the borders of bins of other scales. */
export const ticksOf = ({ axis, borders }: Bins, room: number): readonly Tick[] => {
  const n = axis.bins;
  // Each bin is one whole number, which stands in its middle.
  const isWhole = axis.fixed?.[0] === -0.5 && n === axis.fixed[1] + 0.5;
  if (axis.scale === 'linear' && !isWhole) {
    const [low, high] = [borders[0]!, borders[n]!];
    return roundTicks(low, high, room, COUNTED.has(axis.feature) ? 1 : 0).map((value) => ({
      ...{ share: high > low ? (value - low) / (high - low) : 0, value, end: null },
    }));
  }
  const by = Math.max(1, Math.ceil(n / Math.max(1, Math.floor(room))));
  const places = Array.from({ length: Math.floor(n / by) + 1 }, (_, index) => index * by);
  return isWhole
    ? places.filter((bin) => bin < n).map((bin) => ({ share: (bin + 0.5) / n, value: bin, end: null }))
    : places.map((bin) => ({
        share: bin / n,
        value: borders[bin]!,
        end: bin === 0 ? 'first' : bin === n ? 'last' : null,
      }));
};
