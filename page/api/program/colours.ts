// Code with its colours, as ranges: triples of where a range begins, where it ends, and what it is. The worker finds
// them, and the page makes elements of them, never markup.

/** What a range of code is; the stylesheet has a colour for each (`.code-keyword` and so on). */
export const COLOURED = ['keyword', 'string', 'number', 'comment', 'name', 'definition', 'operator'] as const;
export type Coloured = (typeof COLOURED)[number];

export type Piece = { readonly text: string; readonly is: Coloured | null };

/** The first triple that ends behind this place. */
const firstBehind = (ranges: Uint32Array, place: number): number => {
  let [low, high] = [0, ranges.length / 3];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[3 * middle + 1]! <= place) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** A part of the code, cut where its colour changes. The ranges are ascending and do not overlap. */
export const piecesOf = (code: string, ranges: Uint32Array, from: number, to: number): readonly Piece[] => {
  const pieces: Piece[] = [];
  let at = from;
  for (let index = firstBehind(ranges, from); index < ranges.length / 3; index++) {
    const [start, end, is] = [ranges[3 * index]!, ranges[3 * index + 1]!, ranges[3 * index + 2]!];
    if (start >= to) break;
    if (start > at) pieces.push({ text: code.slice(at, start), is: null });
    pieces.push({ text: code.slice(Math.max(at, start), Math.min(to, end)), is: COLOURED[is] ?? null });
    at = Math.min(to, end);
  }
  if (at < to) pieces.push({ text: code.slice(at, to), is: null });
  return pieces;
};

/** Where each line begins, and at last the length of the text. */
export const lineStarts = (text: string): readonly number[] => {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  // The line feed that ends a file begins no line.
  if (starts.length > 1 && starts.at(-1) === text.length) starts.pop();
  return [...starts, text.length];
};
