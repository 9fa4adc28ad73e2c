// Draws in proportion to weights that stay the same over many draws. Called by the policies of selection.
import type { Rng } from '../rng.ts';

/** An index of a pool, 0 for rank 1. */
export type DrawRank = (random: Rng) => number;

/** By binary search in the running sums: O(log n) a draw. Weights of at least 0 with a finite sum above 0; what weighs 0 is never drawn. */
export const inProportion = (weights: readonly number[]): DrawRank => {
  const sums = new Float64Array(weights.length);
  let total = 0;
  for (const [index, weight] of weights.entries()) sums[index] = total += weight;
  return (random) => {
    const at = random.next() * total;
    let low = 0;
    let high = sums.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sums[middle]! > at) high = middle;
      else low = middle + 1;
    }
    return low;
  };
};
