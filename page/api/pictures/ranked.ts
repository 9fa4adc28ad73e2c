// Scores of rows as numbers of which more is better, and what they come to: gains over parents, and the best.
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
