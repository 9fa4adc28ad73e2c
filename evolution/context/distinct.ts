// Draws without replacement. Called by context.ts and diverse.ts.
import type { Rng } from '../rng.ts';

export type Distinct = {
  readonly count: number;
  /** Above 0, one for each of the list; null: uniformly. */
  readonly weights: readonly number[] | null;
  readonly rng: Rng;
};

/** One by one, each in proportion to its weight among those that are left, in the order of the draws. Fewer where the list is shorter. */
export const distinctOf = <T>(list: readonly T[], { count, weights, rng }: Distinct): readonly T[] => {
  const left = [...list];
  const weightsLeft = weights === null ? null : [...weights];
  const drawn: T[] = [];
  while (drawn.length < count && left.length > 0) {
    const index = weightsLeft === null ? rng.int(left.length) : rng.weighted(weightsLeft);
    drawn.push(left[index]!);
    left.splice(index, 1);
    weightsLeft?.splice(index, 1);
  }
  return drawn;
};
