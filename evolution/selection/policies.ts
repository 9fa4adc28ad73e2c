// Draws of one program from a ranked pool, for all `selection.kind` but the mixture and PUCT.
import type { SelectionSettings } from '../config/run-config.ts';
import type { Rng } from '../rng.ts';
import { isFailureFit } from '../scoring/failures.ts';
import type { Member, ProgramId } from '../types.ts';
import { validOf } from './pools.ts';
import { firstIndex } from '../binary-search.ts';
import { medianOf } from '../statistics.ts';

/** Draws an index of a pool, 0 for rank 1, from weights that stay the same over many draws. */
export type DrawRank = (random: Rng) => number;

/** By binary search in running sums, in O(log n). Weights are at least 0, with a finite sum above 0. */
export const inProportion = (weights: readonly number[]): DrawRank => {
  const sums = new Float64Array(weights.length);
  let total = 0;
  for (const [index, weight] of weights.entries()) sums[index] = total += weight;
  return (random) => {
    const at = random.next() * total;
    return firstIndex(sums.length - 1, (index) => sums[index]! > at);
  };
};

/** The input of ShinkaEvolve's weighted parent (arXiv 2509.19349). */
type SigmoidWeights = { readonly lambda: number; readonly childrenOf: (id: ProgramId) => number };

const SMALLEST_SPREAD = 1e-6;

/**
 * w = σ(λ (f - median) / max(MAD, 1e-6)) / (1 + children), over the valid programs of the pool; failures weigh nothing,
 * unless there is nothing else. `ranked` is best first. The sum is above 0 and finite.
 */
export const sigmoidWeights = (
  ranked: readonly Member[],
  { lambda, childrenOf }: SigmoidWeights,
): readonly number[] => {
  const counted = validOf(ranked);
  // Scores are halved, because the difference of two huge scores of opposite signs must stay finite.
  const halves = counted.map(({ fit }) => fit / 2);
  const centre = medianOf(halves);
  const spread = Math.max(
    medianOf(Float64Array.from(halves, (half) => Math.abs(half - centre)).sort()),
    SMALLEST_SPREAD / 2,
  );
  return ranked.map(({ id, fit }, index) =>
    index < counted.length ? sigmoid(lambda * finite((fit / 2 - centre) / spread)) / (1 + childrenOf(id)) : 0,
  );
};

/** Without this, λ = 0 times an overflow would be no number. */
const finite = (x: number): number => Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, x));

const sigmoid = (x: number): number => {
  const e = Math.exp(-Math.abs(x));
  return (x < 0 ? e : 1) / (1 + e);
};

type Policy = Pick<SelectionSettings, 'alpha' | 'tournament' | 'lambda'> & {
  readonly kind: Exclude<SelectionSettings['kind'], 'initial' | 'mixture' | 'puct'>;
  /** The number of children made from a program so far. */
  readonly childrenOf: (id: ProgramId) => number;
};

/** The worst program weighs this, and the best 1 more: 0.01 to 1.01. */
const ROULETTE_FLOOR = 0.01;

/**
 * `ranked` is best first, not empty, and has admitted failures; `validOf` leaves them out. Weights are worked out once:
 * a draw costs O(log n), of a tournament O(k).
 */
export const policyOf = (
  { kind, alpha, tournament, lambda, childrenOf }: Policy,
  ranked: readonly Member[],
): DrawRank => {
  switch (kind) {
    case 'uniform':
      return (random) => random.int(ranked.length);
    case 'rank':
      return inProportion(ranked.map((_, index) => 1 / (index + 1)));
    case 'power':
      return inProportion(ranked.map((_, index) => (index + 1) ** -alpha));
    case 'tournament':
      return bestOfDrawn(tournament, ranked.length);
    case 'roulette':
      return inProportion(rouletteWeights(ranked.map(({ fit }) => fit)));
    case 'best':
      return () => 0;
    case 'sigmoid':
      return inProportion(sigmoidWeights(ranked, { lambda, childrenOf }));
  }
};

/** The best, that is lowest, of k ranks that are drawn with replacement. */
const bestOfDrawn =
  (k: number, count: number): DrawRank =>
  (random) => {
    let best = count - 1;
    for (let drawn = 0; drawn < k; drawn++) best = Math.min(best, random.int(count));
    return best;
  };

/**
 * 0.01 + (f - worst) / (best - worst) over the valid programs, 1.01 where all are equal, 0.01 for failures. So sign and
 * scale of scores change nothing, and no sum overflows.
 */
const rouletteWeights = (fits: readonly number[]): readonly number[] => {
  const valid = fits.filter((fit) => !isFailureFit(fit));
  // Scores are halved, because the difference of two huge scores of opposite signs must stay finite.
  const best = (valid[0] ?? 0) / 2;
  const worst = (valid.at(-1) ?? 0) / 2;
  const share = (fit: number): number =>
    isFailureFit(fit) ? 0 : best > worst ? (fit / 2 - worst) / (best - worst) : 1;
  return fits.map((fit) => ROULETTE_FLOOR + share(fit));
};
