// The one rule of ranking, which commits, limits, sweeps, goals and reports share, so that they cannot disagree.
import type { RunConfig } from '../config/run-config.ts';
import type { Direction } from '../types.ts';

export type Scoring = RunConfig['evaluation']['scoring'];

/** The tolerant and the strict score of a program. */
export type Scores<S extends number | null = number | null> = {
  readonly score: S;
  readonly strictScore: number | null;
};

/** The score that has to be there for a program to be ranked at all; null where the evaluator gave none. */
export const scoreAskedFor = <S extends number | null>(
  { score, strictScore }: Scores<S>,
  scoring: Scoring,
): number | null => (scoring === 'strict' ? strictScore : score);

/** The score that ranks a program: the tolerant one where the evaluator gives no strict one. */
export const rankingScore = <S extends number | null>(scores: Scores<S>, scoring: Scoring): number | S =>
  scoreAskedFor(scores, scoring) ?? scores.score;

/** The ranking score, read back from `fit`, which is it or its negative. Without a `fit`: the evaluator's score. */
export const rankedScore = ({ fit, score, strictScore }: Scores & { readonly fit?: number }): number | null =>
  fit !== undefined && strictScore !== null && Math.abs(strictScore) === Math.abs(fit) ? strictScore : score;

/** The scoring that compares runs: where they differ the strict one, since tolerance alone may give a lead. */
export const commonScoring = (scorings: Iterable<Scoring>): Scoring => {
  const all = new Set(scorings);
  return all.size === 1 && all.has('tolerant') ? 'tolerant' : 'strict';
};

export const signOf = (direction: Direction): 1 | -1 => (direction === 'maximise' ? 1 : -1);

/** The score as a number of which more is better (`fit`); applied again, it gives the score. */
export const asFit = (score: number, direction: Direction): number => signOf(direction) * score;

/** The lead of a score over another; negative where it is worse. */
export const gainOver = (direction: Direction, result: number, than: number): number =>
  direction === 'maximise' ? result - than : than - result;

/** The comparison is strict, so that an equal result keeps the earlier best. */
export const isBetter = (direction: Direction, result: number, than: number): boolean =>
  direction === 'maximise' ? result > than : result < than;

/** As good as the goal, or better. */
export const reaches = (direction: Direction, result: number, goal: number): boolean =>
  !isBetter(direction, goal, result);

/** The earliest of the best; null where nothing has a score. */
export const bestOf = <T>(direction: Direction, all: readonly T[], scoreOf: (one: T) => number | null): T | null => {
  let best: { readonly one: T; readonly score: number } | null = null;
  for (const one of all) {
    const score = scoreOf(one);
    if (score !== null && (best === null || isBetter(direction, score, best.score))) best = { one, score };
  }
  return best?.one ?? null;
};
