// What makes one text of another. Answers of a run that goes on are mostly as they were a moment ago, so that little is
// sent and nothing is compressed. Everything here is pure.

/** A text is so many characters of the one before, then `text`, then so many of its last characters. */
export type Edit = { readonly first: number; readonly text: string; readonly last: number };

/**
 * The greatest number up to `most` for which `fits` holds, which holds for 0 and for all below one for which it holds.
 */
const greatest = (most: number, fits: (length: number) => boolean): number => {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
};

/** Whole pieces are compared, because that is done without looking at each character here. */
export const editOf = (before: string, now: string): Edit => {
  const most = Math.min(before.length, now.length);
  const first = greatest(most, (length) => before.slice(0, length) === now.slice(0, length));
  const rest = most - first;
  const last = greatest(rest, (length) => length === 0 || before.slice(-length) === now.slice(-length));
  return { first, text: now.slice(first, now.length - last), last };
};

/**
 * The text that an edit makes of the one before. Throws RangeError where that one is too short to be the one it is of.
 */
export const edited = (before: string, { first, text, last }: Edit): string => {
  if (first + last > before.length)
    throw new RangeError(`edit: expected a text of at least ${first + last} characters, got ${before.length}`);
  return before.slice(0, first) + text + before.slice(before.length - last);
};
