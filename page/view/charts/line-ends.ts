// The names of lines at their ends: cut to the room that there is, and moved up or down so that none stands on another.
import type uPlot from 'uplot';

type Line = { readonly end?: string; readonly values: readonly (number | null)[]; readonly colour: string };
type Drawing = { readonly lines: readonly Line[]; readonly x: readonly number[] };

/** Of a name, in pixels. */
const HEIGHT = 14;
const GAP = 6;
/** Of a letter at 11 pixels, about. */
const LETTER = 7.5;

/** So many letters of a name have room beside a plot of this width. */
const lettersAt = (width: number): number => (width < 600 ? 12 : 26);
/** Names that begin alike differ at their ends, so that both stay. */
export const cutTo = (text: string, letters: number): string =>
  text.length <= letters ? text : `${text.slice(0, letters >> 1)}…${text.slice(1 + (letters >> 1) - letters)}`;

/** The room at the right of the plot that the names need. */
export const roomForEnds = (lines: readonly Pick<Line, 'end'>[], width: number): number =>
  Math.max(24, ...lines.map(({ end = '' }) => GAP + LETTER * Math.min(lettersAt(width), end.length)));

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

export const drawEnds = (self: uPlot, { lines, x }: Drawing, colour: (name: string) => string): void => {
  const { ctx, bbox, scales } = self;
  const ratio = devicePixelRatio;
  const ends = lines.flatMap(({ end, values, colour: of }) => {
    const last = end === undefined ? -1 : values.findLastIndex((value) => value !== null);
    if (last < 0 || x[last]! > scales['x']!.max! || x[last]! < scales['x']!.min!) return [];
    const text = cutTo(end!, lettersAt(self.width));
    return [{ text, of, left: self.valToPos(x[last]!, 'x', true), y: self.valToPos(values[last]!, 'y', true) }];
  });
  const at = spread(
    ends.map(({ y }) => y),
    [bbox.top, bbox.top + bbox.height],
    HEIGHT * ratio,
  );
  if (at === null) return;
  ctx.save();
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  ctx.lineWidth = 3 * ratio;
  ctx.strokeStyle = colour('--card');
  for (const [index, { text, of, left }] of ends.entries()) {
    ctx.fillStyle = colour(of);
    ctx.strokeText(text, left + GAP * ratio, at[index]!);
    ctx.fillText(text, left + GAP * ratio, at[index]!);
  }
  ctx.restore();
};
