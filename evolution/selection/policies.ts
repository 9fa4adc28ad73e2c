// How one program is drawn from a ranked pool: the policies of `selection.kind` beside the mixture and PUCT. Called by selection.ts.
import type { SelectionSettings } from '../config/run-config.ts';
import { isFailureFit } from '../failure-fit.ts';
import type { Member, ProgramId } from '../types.ts';
import { inProportion, type DrawRank } from './proportion.ts';
import { sigmoidWeights } from './sigmoid.ts';

export type Policy = Pick<SelectionSettings, 'alpha' | 'tournament' | 'lambda'> & {
  readonly kind: Exclude<SelectionSettings['kind'], 'initial' | 'mixture' | 'puct'>;
  /** Children made from a program so far. */
  readonly childrenOf: (id: ProgramId) => number;
};

/** Share of the worst beside that of the best: 0.01 to 1.01. */
const ROULETTE_FLOOR = 0.01;

/** `ranked`: rank 1 first, at least one. Weights are worked out here, once; a draw then costs O(log n), of a tournament O(k). */
export const policyOf = ({ kind, alpha, tournament, lambda, childrenOf }: Policy, ranked: readonly Member[]): DrawRank => {
  switch (kind) {
    case 'uniform': return (random) => random.int(ranked.length);
    case 'rank': return inProportion(ranked.map((_, index) => 1 / (index + 1)));
    case 'power': return inProportion(ranked.map((_, index) => (index + 1) ** -alpha));
    case 'tournament': return bestOfDrawn(tournament, ranked.length);
    case 'roulette': return inProportion(rouletteWeights(ranked.map(({ fit }) => fit)));
    case 'best': return () => 0;
    case 'sigmoid': return inProportion(sigmoidWeights(ranked, { lambda, childrenOf }));
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
