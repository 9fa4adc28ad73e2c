// Which cell of an archive a program belongs to, and how far apart cells lie. Called by the draft of a step and by selection.
import type { PopulationSettings } from '../config/run-config.ts';
import type { Member } from '../types.ts';
import { axesOf, scaled, valueOn, type Axis, type Scaling } from './axes.ts';
import { tessellationOf, type Tessellation } from './tessellation.ts';

export type Space = {
  readonly axes: readonly Axis[];
  /** Cells there are. */
  readonly size: number;
  /** Name of the cell, as stored; null: a feature is missing. */
  cellOf(program: Pick<Member, 'fit' | 'length' | 'values'>, scaling: Scaling): string | null;
  /** Between two cells, by name: bins on a grid (Manhattan), on a tessellation the Euclidean distance of their centroids. */
  distance(a: string, b: string): number;
};

/** Null where the archive has no cells: a queue, or none. `seed`: of the run; a run has one tessellation. */
export const spaceOf = (settings: PopulationSettings, seed: number): Space | null => {
  const { map, cells } = settings;
  const axes = axesOf(settings);
  if (map === 'grid') return gridSpace(axes);
  return map === 'cvt' ? tessellated(axes, tessellationOf({ seed, cells, dimensions: axes.length })) : null;
};

const gridSpace = (axes: readonly Axis[]): Space => ({
  axes,
  size: axes.reduce((size, { bins }) => size * bins, 1),
  cellOf: (program, scaling) => {
    const x = placeOf(axes, program, scaling);
    return x === null ? null : x.map((at, index) => Math.min(axes[index]!.bins - 1, Math.floor(axes[index]!.bins * at))).join('-');
  },
  distance: (a, b) => {
    const other = b.split('-');
    return a.split('-').reduce((sum, bin, index) => sum + Math.abs(Number(bin) - Number(other[index])), 0);
  },
});

const tessellated = (axes: readonly Axis[], tessellation: Tessellation): Space => ({
  axes,
  size: tessellation.centroids.length,
  cellOf: (program, scaling) => {
    const x = placeOf(axes, program, scaling);
    return x === null ? null : String(tessellation.nearest(x));
  },
  distance: (a, b) => {
    const [from, to] = [tessellation.centroids[Number(a)]!, tessellation.centroids[Number(b)]!];
    return Math.sqrt(from.reduce((sum, value, index) => sum + (value - to[index]!) ** 2, 0));
  },
});

/** Scaled features, axis by axis; null when one is missing. */
const placeOf = (axes: readonly Axis[], program: Pick<Member, 'fit' | 'length' | 'values'>, scaling: Scaling): number[] | null => {
  const place: number[] = [];
  for (const axis of axes) {
    const value = valueOn(axis, program);
    if (value === null) return null;
    place.push(scaled(axis, value, scaling));
  }
  return place;
};
