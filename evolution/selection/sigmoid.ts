// Weights of ShinkaEvolve's weighted parent (reference peers, section 8). Called by policies.ts.
import type { Member, ProgramId } from '../types.ts';
import { validOf } from './pools.ts';

export type SigmoidWeights = { readonly lambda: number; readonly childrenOf: (id: ProgramId) => number };

const SMALLEST_SPREAD = 1e-6;

/**
 * w = σ(λ (f - median) / max(MAD, 1e-6)) / (1 + children), median and median absolute deviation over the valid programs of the pool.
 * Admitted failures weigh nothing, unless the pool has nothing else. `ranked`: best first. The sum is above 0 and finite.
 */
export const sigmoidWeights = (ranked: readonly Member[], { lambda, childrenOf }: SigmoidWeights): readonly number[] => {
  const counted = validOf(ranked);
  // Halves: the difference of two huge scores of opposite signs stays finite.
  const halves = counted.map(({ fit }) => fit / 2);
  const centre = median(halves);
  const spread = Math.max(median(Float64Array.from(halves, (half) => Math.abs(half - centre)).sort()), SMALLEST_SPREAD / 2);
  return ranked.map(({ id, fit }, index) =>
    (index < counted.length ? sigmoid(lambda * finite((fit / 2 - centre) / spread)) / (1 + childrenOf(id)) : 0));
};

/** Of a sorted list; of an even number the mean of the middle two. */
const median = (sorted: ArrayLike<number>): number => sorted[(sorted.length - 1) >> 1]! / 2 + sorted[sorted.length >> 1]! / 2;

/** Without this, λ = 0 times an overflow would be no number. */
const finite = (x: number): number => Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, x));

const sigmoid = (x: number): number => {
  const e = Math.exp(-Math.abs(x));
  return (x < 0 ? e : 1) / (1 + e);
};
