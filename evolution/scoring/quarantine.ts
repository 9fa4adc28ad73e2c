// Scores that are too good to be believed at once, and their second look (docs/tasks.md, Scores).
import type { Task } from '../task/task.ts';
import { gainOver } from './ranking.ts';

type Suspicion = { readonly kind: 'bound' | 'jump'; readonly reason: string };

/** The findings on a score that was not believed at once. With `held` it does not count. */
export type Quarantine = {
  readonly kind: Suspicion['kind'];
  readonly reason: string;
  readonly held: boolean;
  /** The objective as it was first computed, and again with other seeds; null where such a repetition gave none. */
  readonly rawScore: number;
  readonly again: readonly { readonly seed: number; readonly score: number | null }[];
};

/** The reason of a score that is held back begins so. */
export const QUARANTINED = 'quarantined: ';

/** Allows for the rounding of a score that meets its bound. */
const ROUNDING = 1e-12;

type Judged = Pick<Task, 'direction' | 'references' | 'bound' | 'suspectGain'>;

/** The suspicion: beyond a proven bound, or beyond the best known value by more than `suspectGain` of it; or null. */
export const suspicion = (
  { direction, references, bound, suspectGain = 0.01 }: Judged,
  score: number,
): Suspicion | null => {
  const beyond = (limit: number, margin: number): boolean => gainOver(direction, score, limit) > margin;
  if (bound && beyond(bound.value, ROUNDING * Math.max(1, Math.abs(bound.value)))) {
    return { kind: 'bound', reason: `${score} passes the proven bound ${bound.value} (${bound.source})` };
  }
  const best = references.find((reference) => reference.best === true);
  if (best && beyond(best.value, suspectGain * Math.abs(best.value))) {
    return {
      kind: 'jump',
      reason: `${score} is better than the best value known, ${best.value} (${best.name}), by more than ${suspectGain * 100} % of it`,
    };
  }
  return null;
};

/**
 * A second look tells nothing: a program called on data that never change may know the answers by heart. A solution is
 * its own proof, and drawn data are others.
 */
const sameData = ({ kind, data }: Pick<Task, 'kind' | 'data'>, rawScore: number, again: Quarantine['again']): boolean =>
  kind === 'function' && data !== 'drawn' && again.every(({ score }) => score === rawScore);

/**
 * A score beyond a bound is never believed; a jump is when another run makes one too, unless that run could not tell.
 */
export const settled = (
  task: Judged & Pick<Task, 'kind' | 'data'>,
  { kind, reason }: Suspicion,
  rawScore: number,
  again: Quarantine['again'],
): Quarantine => {
  const repeated = again.some(({ score }) => score !== null && suspicion(task, score) !== null);
  const same = kind === 'jump' && sameData(task, rawScore, again);
  return {
    kind,
    reason: same ? `${reason}, and other seeds change nothing, so that it could be known by heart` : reason,
    rawScore,
    again,
    held: kind === 'bound' || same || !repeated,
  };
};
