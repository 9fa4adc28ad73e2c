// Colours of scores: a few levels by rank, because scores of a search crowd near the best, where an even scale would show
// one colour.

/** So many colours `--level0` (worst) to `--level6` (best) the stylesheet has. */
export const LEVELS = 7;

/** The inner borders of the levels, ascending; fewer where values are alike. NaN counts for nothing. */
export const bordersOf = (values: ArrayLike<number>): readonly number[] => {
  const sorted = Float64Array.from(values)
    .filter((value) => Number.isFinite(value))
    .sort();
  const borders: number[] = [];
  for (let level = 1; level < LEVELS; level++) {
    const border = sorted[Math.floor((sorted.length * level) / LEVELS)];
    if (border !== undefined && border > (borders.at(-1) ?? sorted[0]!)) borders.push(border);
  }
  return borders;
};

/** 0 for the least, LEVELS - 1 for the greatest. Where there are fewer levels, they are the upper ones. */
export const levelOf = (value: number, borders: readonly number[]): number => {
  let level = LEVELS - 1 - borders.length;
  for (const border of borders) if (value >= border) level++;
  return level;
};
