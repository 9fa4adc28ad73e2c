// The best result of people, and a run's lead over it (AlphaResearch 2.1, Eq. 4; docs/methods/alpharesearch.md).
import type { Direction } from '../types.ts';
import { gainOver, isBetter } from './ranking.ts';

type Goal = { readonly human: number; readonly direction: Direction };

/** The best is strictly beyond the human best. `best` is null without a result. */
export const beatsHuman = (best: number | null, { human, direction }: Goal): boolean =>
  best !== null && isBetter(direction, best, human);

type Problem = Goal & { readonly best: number };

/** (best - human) * d / |human|, with d = 1 or -1: above 0 exactly when the human best is beaten. */
export const excelOf = ({ best, human, direction }: Problem): number => {
  if (!Number.isFinite(best) || !Number.isFinite(human) || human === 0) {
    throw new RangeError(
      `excel@best: expected a finite best and a finite human best other than 0, got ${best} and ${human}`,
    );
  }
  return gainOver(direction, best, human) / Math.abs(human);
};
