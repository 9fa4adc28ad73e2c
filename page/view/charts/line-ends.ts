// The names of lines at their ends: cut to the room that there is, and moved up or down so that none stands on another.
import type { Frame } from './types.ts';

type Line = { readonly end?: string; readonly values: readonly (number | null)[]; readonly colour: string };

/** Of a name, in pixels. */
const HEIGHT = 15;
const GAP = 6;
/** Of a wide letter at 12 pixels. */
const LETTER = 8;

/** So many letters of a name have room beside a plot of this width. */
const lettersAt = (width: number): number => (width < 600 ? 12 : 26);
/** Settings keep their values and the beginnings of their keys. Other names that begin alike differ at their ends. */
export const cutTo = (text: string, letters: number): string => {
  if (text.length <= letters) return text;
  const settings = text.replace(/(\S{2})[^\s=]+=/g, '$1…=');
  if (settings.length <= letters) return settings;
  return `${text.slice(0, letters >> 1)}…${text.slice(1 + (letters >> 1) - letters)}`;
};

/** The room at the right of the plot that the names need. */
export const roomForEnds = (lines: readonly Pick<Line, 'end'>[], width: number): number =>
  Math.max(
    24,
    ...lines.map(({ end = '' }) => (end === '' ? 0 : 3 * GAP) + LETTER * Math.min(lettersAt(width), end.length)),
  );

/** The heights nearest to these at which names do not overlap, between `top` and `bottom`; null where there is no room. */
export const spread = (
  heights: readonly number[],
  [top, bottom]: readonly [number, number],
  least: number,
): readonly number[] | null => {
  if (heights.length * least > bottom - top + least) return null;
  const order = heights.map((_, index) => index).sort((a, b) => heights[a]! - heights[b]! || a - b);
  const at = [...heights];
  let free = top;
  for (const index of order) {
    at[index] = Math.max(at[index]!, free);
    free = at[index] + least;
  }
  free = bottom;
  for (const index of order.toReversed()) {
    at[index] = Math.min(at[index]!, free);
    free = at[index] - least;
  }
  return at;
};

type End = { readonly x: number; readonly y: number; readonly text: string; readonly colour: string };

/** The names with their places; none where there is no room for them. */
export const endsOf = (lines: readonly Line[], x: readonly number[], frame: Frame): readonly End[] => {
  const ends = lines.flatMap(({ end, values, colour }) => {
    const last = end === undefined ? -1 : values.findLastIndex((value) => value !== null);
    if (last < 0 || x[last]! > frame.x[1] || x[last]! < frame.x[0]) return [];
    const text = cutTo(end!, lettersAt(frame.across));
    return [{ text, colour, x: frame.placeX(x[last]!) + GAP, y: frame.placeY(values[last]!) }];
  });
  const at = spread(
    ends.map(({ y }) => y),
    [frame.top, frame.top + frame.height],
    HEIGHT,
  );
  return at === null ? [] : ends.map((end, index) => ({ ...end, y: at[index]! }));
};
