// How one program is drawn from a ranked pool: the policies of `selection.kind` beside the mixture. Called by selection.ts.
import type { SelectionSettings } from '../config/run-config.ts';
import { isFailureFit } from '../failure-fit.ts';
import type { Rng } from '../rng.ts';
import type { Member } from '../types.ts';

export type Policy = Pick<SelectionSettings, 'alpha' | 'tournament'> & { readonly kind: Exclude<SelectionSettings['kind'], 'mixture'> };

/** An index of the pool, 0 for rank 1. */
export type DrawRank = (random: Rng) => number;

/** Share of the worst beside that of the best: 0.01 to 1.01. */
const ROULETTE_FLOOR = 0.01;

/** `ranked`: rank 1 first, at least one. Weights are worked out here, once; a draw then costs O(log n), of a tournament O(k). */
export const policyOf = ({ kind, alpha, tournament }: Policy, ranked: readonly Member[]): DrawRank => {
  switch (kind) {
    case 'uniform': return (random) => random.int(ranked.length);
    case 'rank': return inProportion(ranked.map((_, index) => 1 / (index + 1)));
    case 'power': return inProportion(ranked.map((_, index) => (index + 1) ** -alpha));
    case 'tournament': return bestOfDrawn(tournament, ranked.length);
    case 'roulette': return inProportion(rouletteWeights(ranked.map(({ fit }) => fit)));
    case 'best': return () => 0;
  }
};

/** The lowest rank of k that are drawn with replacement. */
const bestOfDrawn = (k: number, count: number): DrawRank => (random) => {
  let best = count - 1;
  for (let drawn = 0; drawn < k; drawn++) best = Math.min(best, random.int(count));
  return best;
};

/**
 * Weight of a fit f: 0.01 + (f - worst) / (best - worst), over the valid programs of the pool; 1.01 where all are equal; 0.01 for admitted
 * failures. Only differences count, relative to the largest: sign and scale of a task's scores change nothing, and no sum overflows.
 */
const rouletteWeights = (fits: readonly number[]): readonly number[] => {
  const valid = fits.filter((fit) => !isFailureFit(fit));
  // Halves: the difference of two huge scores of opposite signs stays finite.
  const best = (valid[0] ?? 0) / 2;
  const worst = (valid.at(-1) ?? 0) / 2;
  const share = (fit: number): number => (isFailureFit(fit) ? 0 : best > worst ? (fit / 2 - worst) / (best - worst) : 1);
  return fits.map((fit) => ROULETTE_FLOOR + share(fit));
};

/** By binary search in the running sums. */
const inProportion = (weights: readonly number[]): DrawRank => {
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
