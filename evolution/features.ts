// Where a program stands on the axes of the MAP-Elites grid. Called by grid.ts, insertion.ts and selection.ts.
import type { PopulationSettings } from './config/run-config.ts';
import type { Member, PopulationState } from './types.ts';

type Bounds = PopulationState['bounds'];
type Axes = Pick<PopulationSettings, 'features' | 'bins'>;
type Measured = Pick<Member, 'fit' | 'length'>;

const valueOf = (feature: PopulationSettings['features'][number], program: Measured): number =>
  (feature === 'score' ? program.fit : program.length);

/** Running minimum and maximum, widened to hold this program; the same object when it lies within. */
export const widened = (bounds: Bounds, { features }: Axes, program: Measured): NonNullable<Bounds> => {
  const ranges = features.map((feature) => {
    const value = valueOf(feature, program);
    const [min, max] = bounds?.[feature] ?? [value, value];
    return [feature, [Math.min(min, value), Math.max(max, value)]] as const;
  });
  const same = bounds !== null && ranges.every(([feature, [min, max]]) => bounds[feature]?.[0] === min && bounds[feature]?.[1] === max);
  return same ? bounds : Object.fromEntries(ranges);
};

/** Bin on each axis: floor(bins * x), at most bins - 1, x the value scaled by the bounds and clamped to [0, 1]; 0 where they coincide. */
export const coordinates = (program: Measured, bounds: Bounds, { features, bins }: Axes): readonly number[] =>
  features.map((feature) => {
    const [min, max] = bounds?.[feature] ?? [0, 0];
    // Halved first: the difference of two finite numbers may overflow.
    const range = max / 2 - min / 2;
    const x = range > 0 ? (valueOf(feature, program) / 2 - min / 2) / range : 0;
    return Math.min(bins - 1, Math.max(0, Math.floor(bins * x)));
  });

/** Name of a cell, as stored. */
export const cellName = (bins: readonly number[]): string => bins.join('-');
