// The Pareto front of programs in two numbers: those that no other one beats in one number without losing in the other.
import { isNumber, numberEntry } from '../../../evolution/reports/program-numbers.ts';

/** 1 where more is better, -1 where less is. */
export type Better = 1 | -1;

/**
 * The better end of a feature on the map, where scores are turned so that more is better. A task does not say it of its
 * metrics: more is better until a person says otherwise. Of what a program takes, less is.
 */
export const betterOf = (feature: string, sign: Better): Better => {
  if (feature === 'score' || feature === 'reward' || !(isNumber(feature) || feature === 'step')) return 1;
  return isNumber(feature) && numberEntry(feature).ranks === true ? sign : -1;
};

/** The rows of the front, the best in `x` first. Of rows that are alike in both the first stands for all. */
export const frontOf = (
  rows: readonly number[],
  [x, y]: readonly [ArrayLike<number>, ArrayLike<number>],
  [betterX, betterY]: readonly [Better, Better],
): readonly number[] => {
  const sorted = rows
    .filter((row) => Number.isFinite(x[row]) && Number.isFinite(y[row]))
    .sort((a, b) => betterX * (x[b]! - x[a]!) || betterY * (y[b]! - y[a]!) || a - b);
  const front: number[] = [];
  let best = -Infinity;
  for (const row of sorted) {
    const value = betterY * y[row]!;
    if (value <= best) continue;
    front.push(row);
    best = value;
  }
  return front;
};
