// A plot as it is read: the place that a key goes to, the range that zooming shows, the rows of its table.

/** The place that a key goes to from the place that is read; null for keys that go nowhere. */
export const placeAfter = (key: string, at: number | null, last: number): number | null => {
  const from = at ?? -1;
  const places: { readonly [key: string]: number } = {
    ArrowRight: from + 1,
    ArrowLeft: from < 0 ? last : from - 1,
    PageUp: from + 10,
    PageDown: from - 10,
    Home: 0,
    End: last,
  };
  const place = places[key];
  return place === undefined ? null : Math.max(0, Math.min(last, place));
};

type Range = { readonly min: number; readonly max: number };
/** A scale of uPlot, whose range is empty until it has drawn. */
type Scale = { readonly min?: number | null | undefined; readonly max?: number | null | undefined };
type Places = ArrayLike<number>;

/** True where a part of the places alone is seen; null while that is not known. */
export const isZoomed = ({ min, max }: Scale, x: Places): boolean | null =>
  min == null || max == null || x.length === 0 ? null : min > x[0]! || max < x[x.length - 1]!;

/**
 * The range `factor` times as wide around the place that is read, or else around its middle; null while there is none.
 */
export const zoomedRange = (scale: Scale | undefined, factor: number, x: Places, at: number | null): Range | null => {
  const { min, max } = scale ?? {};
  if (min == null || max == null || x.length === 0) return null;
  const middle = (at === null ? undefined : x[at]) ?? (min + max) / 2;
  return {
    min: Math.max(x[0]!, middle - (middle - min) * factor),
    max: Math.min(x[x.length - 1]!, middle + (max - middle) * factor),
  };
};

/** More rows than this are thinned evenly. */
const MOST_ROWS = 60;

/** Every n-th row, and the last one. */
export const thinned = <T>(rows: readonly T[]): { readonly every: number; readonly kept: readonly T[] } => {
  const every = Math.ceil(rows.length / MOST_ROWS);
  return { every, kept: rows.filter((_, index) => index % every === 0 || index === rows.length - 1) };
};
