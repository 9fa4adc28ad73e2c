// Successive halving (Jamieson and Talwalkar 2016). A stopped run says in fixed words where it rests, because a sweep
// that is started again goes by them.
import { gainOver } from '../scoring/ranking.ts';
import type { Direction } from '../types.ts';

export const MAX_SWEEP_RUNS = 1_000;

/**
 * The numbers of programs at which configurations are compared: first * factor^n, below `programsLimit` (null: none),
 * as many as it takes to leave one group. Then the rest run to their limits.
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

/** The number of n that go on. */
const kept = (n: number, factor: number): number => Math.max(1, Math.ceil(n / factor));

type GroupScore = {
  readonly group: number;
  /** Null where nothing is valid. */
  readonly score: number | null;
};

/** All but the best 1/factor stop. Of equals the lower group is better, and groups without a score are last. */
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

/** The order of groups from best to worst. */
export const byScore =
  (direction: Direction) =>
  (a: GroupScore, b: GroupScore): number => {
    if (a.score === b.score) return a.group - b.group;
    if (a.score === null || b.score === null) return a.score === null ? 1 : -1;
    return gainOver(direction, b.score, a.score);
  };

/** The reason of a run that rests at a rung, as it stands in the run's document. */
export const rungReason = (programs: number, sweep: string): string => `rung ${programs} of sweep ${sweep}`;

/** The reason of a run or sweep that a person stopped. */
export const byPerson = (reason: string | undefined): string => `stopped by a person${reason ? `: ${reason}` : ''}`;

/** The reason of a stopped run: a person, or its sweep. */
export const stopReasonOf = ({ sweep, reason }: { readonly sweep?: string; readonly reason?: string }): string =>
  sweep === undefined ? byPerson(reason) : `stopped with sweep ${sweep}${reason ? `: ${reason}` : ''}`;

/**
 * The rung at which a stopped run rests; 0 when it stopped with its sweep; null when it ended on its own or by a
 * person.
 */
export const restOf = (stopReason: string | null): number | null => {
  const rung = /^rung (\d+) of sweep /.exec(stopReason ?? '')?.[1];
  if (rung !== undefined) return Number(rung);
  return stopReason?.startsWith('stopped with sweep ') === true ? 0 : null;
};
