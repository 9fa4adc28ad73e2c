// What the map shows: cells of the archive, each program by itself on two numbers, or programs by their similarity.
import { useMemo } from 'preact/hooks';
import { numberNames } from '../../../evolution/reports/program-numbers.ts';
import type { Similarity } from '../../api/pictures/components.ts';
import {
  axesOf,
  type Bins,
  binsOf,
  type Cells,
  centroidCells,
  gridCells,
  type MapAxis,
  type MapRows,
  plainAxis,
  programCells,
} from '../../api/pictures/map.ts';
import { type Better, betterOf } from '../../api/pictures/pareto.ts';
import { columnOf, rowOf, type Rows } from '../../api/rows/rows.ts';
import { route } from '../base/state.ts';
import type { Programs } from '../rows/with-rows.tsx';
import { beyondScore, chosenAxes, valuesOf } from './cells.ts';

export type Kind = 'cells' | 'programs' | 'similar';
export const kindIn = (query: URLSearchParams): Kind =>
  (['programs', 'similar'] as const).find((kind) => kind === query.get('show')) ?? 'cells';

const COMPONENTS = ['first component', 'second component'] as const;

/** The places of all rows along the components; NaN for programs without one. */
const placesOf = ({ ids, at }: Similarity, rows: Rows): readonly Float64Array[] => {
  const found = ids.map((id) => rowOf(rows, id));
  return at.map((places) => {
    const all = new Float64Array(rows.rows).fill(Number.NaN);
    for (const [index, row] of found.entries()) if (row >= 0) all[row] = places[index]!;
    return all;
  });
};

const useAxes = ({ rows, traits, fits }: Programs, kind: Kind, similarity: Similarity | null, last: number) => {
  const { query } = route.value;
  const axes = useMemo(
    () =>
      kind === 'similar' ? COMPONENTS.map(plainAxis) : axesOf(traits, last, kind === 'programs' ? numberNames : []),
    [traits, last, kind],
  );
  const named = kind === 'similar' ? ([null, null] as const) : ([query.get('x'), query.get('y')] as const);
  const chosen = chosenAxes(axes, named, kind === 'cells' ? beyondScore(axes) : axes);
  const places = useMemo(() => (similarity === null ? null : placesOf(similarity, rows)), [similarity, rows]);
  const valuesAt = (axis: MapAxis): ArrayLike<number> =>
    places === null ? valuesOf(axis.feature, rows, fits) : places[axes.indexOf(axis)]!;
  return { axes, chosen, valuesAt };
};

const MARGIN = 0.04;
/** The axis with room beside the first and the last of these values, so that no point lies on the frame. */
const roomy = (axis: MapAxis, values: ArrayLike<number>, isValid: (row: number) => boolean): MapAxis => {
  let [low, high] = [Infinity, -Infinity];
  for (let row = 0; row < values.length; row++) {
    if (!Number.isFinite(values[row]) || !isValid(row)) continue;
    [low, high] = [Math.min(low, values[row]!), Math.max(high, values[row]!)];
  }
  const margin = MARGIN * (high - low) || 0.5;
  return { ...axis, scale: 'linear', bins: 20, fixed: low <= high ? [low - margin, high + margin] : null };
};

const betterIn = (query: URLSearchParams, name: 'x' | 'y', { feature }: MapAxis, sign: Better): Better => {
  const asked = feature === 'score' ? null : query.get(`${name}better`);
  return asked === '1' ? 1 : asked === '-1' ? -1 : betterOf(feature, sign);
};

/** The programs of a run in the cells, or at the places, of the two axes that the address names. */
export const useArchive = (programs: Programs, kind: Kind, similarity: Similarity | null) => {
  const { rows, traits, fits, sign } = programs;
  const { query } = route.value;
  const { centroids, axes: own } = traits.archive;
  const step = columnOf(rows, 'step');
  const last = step[rows.rows - 1]!;
  const { axes, chosen, valuesAt } = useAxes(programs, kind, similarity, last);
  const [x, y] = chosen;
  const island = query.get('island');
  const only = island === null || island === '' ? null : Number(island);
  const isTessellated = kind === 'cells' && centroids !== null && x.index >= 0 && y.index >= 0 && x !== y;
  const isValid = (row: number): boolean => !Number.isNaN(fits[row]!);
  const bins = (axis: MapAxis): Bins => {
    const values = valuesAt(axis);
    return binsOf(kind === 'cells' ? axis : roomy(axis, values, isValid), values, isValid);
  };
  const [across, up] = useMemo(() => [bins(x), bins(y)] as const, [rows, fits, x, y, similarity]);
  const cells = useMemo((): Cells => {
    if (kind !== 'cells') return programCells(across, up, isValid);
    return isTessellated
      ? centroidCells(centroids, axes.slice(0, own.length).map(bins), [x.index, y.index])
      : gridCells(across, up);
  }, [rows, across, up, isTessellated, kind]);
  const mapped = useMemo<MapRows>(
    () => ({ cells, fit: fits, step, island: columnOf(rows, 'island'), only }),
    [cells, fits, only],
  );
  return {
    ...{ kind, last, axes, only, mapped, isTessellated },
    grid: { x: across, y: up, cells },
    values: [valuesAt(x), valuesAt(y)] as const,
    better: [betterIn(query, 'x', x, sign), betterIn(query, 'y', y, sign)] as const,
  };
};
