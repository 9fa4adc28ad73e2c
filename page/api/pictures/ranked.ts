// Scores of rows as numbers of which more is better, the best of them, and their levels for colours.
import { type Rows, columnOf } from '../rows/rows.ts';
import type { Traits } from '../run/traits.ts';

/** NaN for a program without a score. */
export const fitsOf = (rows: Rows, { direction, scoring }: Pick<Traits, 'direction' | 'scoring'>): Float64Array => {
  const sign = direction === 'maximise' ? 1 : -1;
  const [score, strict] = [columnOf(rows, 'score'), columnOf(rows, 'strictScore')];
  const fits = new Float64Array(rows.rows);
  for (let row = 0; row < rows.rows; row++) {
    const asked = scoring === 'strict' ? strict[row]! : score[row]!;
    // Programs of early versions have no strict score, and are ranked by the other.
    fits[row] = sign * (Number.isNaN(asked) ? score[row]! : asked);
  }
  return fits;
};

/** The earliest of the best; -1 where nothing has a score. */
export const bestRow = (fits: ArrayLike<number>): number => {
  let best = -1;
  for (let row = 0; row < fits.length; row++)
    if (!Number.isNaN(fits[row]!) && (best < 0 || fits[row]! > fits[best]!)) best = row;
  return best;
};

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
