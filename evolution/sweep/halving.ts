// Successive halving (Jamieson and Talwalkar 2016): all configurations run to a small number of programs, the better
// part of them to a larger one, and so on.
import { gainOver } from '../scoring/ranking.ts';
import type { Direction } from '../types.ts';

export const MAX_SWEEP_RUNS = 1_000;

/**
 * Programs at which the configurations are compared, ascending: first, first * factor, ... below what a run makes in
 * all (`programsLimit`, null: not limited), and no more than it takes to leave one of so many groups. After the last
 * of them the rest run to their own limits.
 */
export const rungs = (
  first: number,
  factor: number,
  programsLimit: number | null,
  groups = MAX_SWEEP_RUNS,
): readonly number[] => {
  const at: number[] = [];
  for (
    let programs = first, left = groups;
    left > 1 && (programsLimit === null || programs < programsLimit);
    programs *= factor
  ) {
    at.push(programs);
    left = kept(left, factor);
  }
  return at;
};

/** How many of n go on. */
const kept = (n: number, factor: number): number => Math.max(1, Math.ceil(n / factor));

type GroupScore = {
  readonly group: number;
  /** Null: nothing valid. */
  readonly score: number | null;
};

/** Best first, ties to the lower group number, groups without a score last; all but the best 1/factor stop. */
export const survivors = (
  scores: readonly GroupScore[],
  factor: number,
  direction: Direction,
): { readonly ranking: readonly GroupScore[]; readonly stopped: readonly number[] } => {
  const ranking = scores.toSorted(byScore(direction));
  return {
    ranking,
    stopped: ranking
      .slice(kept(ranking.length, factor))
      .map(({ group }) => group)
      .sort((a, b) => a - b),
  };
};

/** Order of groups from best to worst. */
export const byScore =
  (direction: Direction) =>
  (a: GroupScore, b: GroupScore): number => {
    if (a.score === b.score) return a.group - b.group;
    if (a.score === null || b.score === null) return a.score === null ? 1 : -1;
    return gainOver(direction, b.score, a.score);
  };

// Why a run of a sweep has stopped, in the words that stand in its document: what a sweep that is started again goes
// by.
/** The reason of a run that rests at a rung. */
export const rungReason = (programs: number, sweep: string): string => `rung ${programs} of sweep ${sweep}`;

/** The reason that a sweep gives its runs when it is stopped itself. */
export const withSweep = (sweep: string, reason: string | undefined): string =>
  `with sweep ${sweep}${reason ? `: ${reason}` : ''}`;

/** What a run writes when it is told to stop. */
export const byPerson = (reason: string | undefined): string => `stopped by a person${reason ? `: ${reason}` : ''}`;

/**
 * Programs of the rung at which a stopped run rests; 0 when it stopped with its sweep and goes on whenever that does;
 * null when it came to an end of its own.
 */
export const restOf = (stopReason: string | null): number | null => {
  const rung = /^rung (\d+) of sweep /.exec(stopReason ?? '')?.[1];
  if (rung !== undefined) return Number(rung);
  return stopReason?.startsWith('stopped by a person: with sweep ') === true ? 0 : null;
};
