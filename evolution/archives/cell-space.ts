// The space of features of an archive: places on axes scaled to [0, 1], cells, and distances between cells.
import type { FeatureName, PopulationSettings } from '../config/run-config.ts';
import type { Member, PopulationState } from '../types.ts';
import { type Tessellation, tessellationOf } from './tessellation.ts';
import { firstIndex } from '../binary-search.ts';

export type Axis = {
  readonly feature: FeatureName;
  /** The position in `population.features`, and in the values of a member. */
  readonly index: number;
  readonly bins: number;
  readonly scale: 'linear' | 'log' | 'quantile';
  /** Fixed bounds; null: the running minimum and maximum of the run. */
  readonly fixed: readonly [min: number, max: number] | null;
};

/** The state on which the scaling of axes depends. */
export type Scaling = Pick<PopulationState, 'bounds' | 'edges'>;

/** The scaling on one island, which has bounds of its own where the settings say so. */
export const scalingOn = (state: Pick<PopulationState, 'bounds' | 'edges' | 'islandBounds'>, island: number): Scaling =>
  state.islandBounds === undefined
    ? state
    : { bounds: state.islandBounds[island] ?? null, ...(state.edges === undefined ? {} : { edges: state.edges }) };

type Measured = Pick<Member, 'fit' | 'length' | 'values'>;

export const axesOf = ({ features, bins }: Pick<PopulationSettings, 'features' | 'bins'>): readonly Axis[] =>
  features.map((feature, index) => {
    if (typeof feature === 'string') return { feature, index, bins, scale: 'linear', fixed: null };
    const { name, scale = 'linear', min, max } = feature;
    return {
      feature: name,
      index,
      bins: feature.bins ?? bins,
      scale,
      fixed: min === undefined || max === undefined ? null : [min, max],
    };
  });

/** Score and length are known of every member; all other features are measured. */
export const isMeasured = ({ feature }: Axis): boolean => feature !== 'score' && feature !== 'length';

/** Null where the feature is missing, not finite or, on a logarithmic axis, not above 0. Such a program has no cell. */
export const valueOn = ({ feature, index, scale }: Axis, program: Measured): number | null => {
  const value =
    feature === 'score' ? program.fit : feature === 'length' ? program.length : (program.values?.[index] ?? null);
  return value === null || !Number.isFinite(value) || (scale === 'log' && value <= 0) ? null : value;
};

/** True where the bounds come from the programs seen so far. */
export const isRunning = ({ fixed, scale }: Axis): boolean => fixed === null && scale !== 'quantile';

/** The value in [0, 1]. Values beyond the bounds are clamped; where the bounds coincide every program stands at 0. */
export const scaled = (axis: Axis, value: number, { bounds, edges }: Scaling): number => {
  if (axis.scale === 'quantile') return (firstAbove(edges?.[axis.feature] ?? [], value) + 0.5) / axis.bins;
  const of = axis.scale === 'log' ? Math.log : (x: number): number => x;
  const [min, max] = (axis.fixed ?? bounds?.[axis.feature] ?? [value, value]).map(of) as [number, number];
  // Each bound is halved first, because the difference of two finite numbers may overflow.
  const range = max / 2 - min / 2;
  return range > 0 ? Math.min(1, Math.max(0, (of(value) / 2 - min / 2) / range)) : 0;
};

/** The running bounds of each axis without fixed ones, widened by this program; the same object where it fits. */
export const widened = (
  bounds: PopulationState['bounds'],
  axes: readonly Axis[],
  program: Measured,
): PopulationState['bounds'] => {
  let wider = bounds;
  for (const axis of axes) {
    const value = isRunning(axis) ? valueOn(axis, program) : null;
    if (value === null) continue;
    const [min, max] = wider?.[axis.feature] ?? [value, value];
    if (wider?.[axis.feature] && value >= min && value <= max) continue;
    wider = { ...wider, [axis.feature]: [Math.min(min, value), Math.max(max, value)] };
  }
  return wider;
};

/** The inner edges of equally filled bins: the values at floor(n * i / bins). Without values there are none. */
export const quantileEdges = ({ bins }: Pick<Axis, 'bins'>, values: readonly number[]): readonly number[] => {
  if (values.length === 0) return [];
  const ascending = Float64Array.from(values).sort();
  return Array.from(
    { length: bins - 1 },
    (_, index) => ascending[Math.floor((ascending.length * (index + 1)) / bins)]!,
  );
};

/** The number of edges that are not above the value. */
const firstAbove = (edges: readonly number[], value: number): number =>
  firstIndex(edges.length, (index) => edges[index]! > value);

/** The cells of an archive: which one a program belongs to, and how far apart they lie. */
export type Space = {
  readonly axes: readonly Axis[];
  /** The number of cells. */
  readonly size: number;
  /** The name of the cell under which it is stored; null where a feature is missing. */
  cellOf(program: Pick<Member, 'fit' | 'length' | 'values'>, scaling: Scaling): string | null;
  /** The distance of two cells: Manhattan in bins on a grid, Euclidean between the centroids of a tessellation. */
  distance(a: string, b: string): number;
};

/** Null where the archive has no cells: a queue, or none. `seed` is the run's, which has one tessellation. */
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
    return x === null
      ? null
      : x.map((at, index) => Math.min(axes[index]!.bins - 1, Math.floor(axes[index]!.bins * at))).join('-');
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

/** The scaled features in the order of the axes; null when one is missing. */
const placeOf = (
  axes: readonly Axis[],
  program: Pick<Member, 'fit' | 'length' | 'values'>,
  scaling: Scaling,
): number[] | null => {
  const place: number[] = [];
  for (const axis of axes) {
    const value = valueOn(axis, program);
    if (value === null) return null;
    place.push(scaled(axis, value, scaling));
  }
  return place;
};
