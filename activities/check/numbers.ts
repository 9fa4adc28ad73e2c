// How numbers of checks are compared. Pure; called by the parts of the check.
import type { Task } from '../../evolution/task.ts';
import type { Evaluation } from '../../evolution/evaluation.ts';

/** Reference `tasks`, section 6: deterministic scores match to 1e-12. */
export const RELATIVE = 1e-12;

/** Equal within `tolerance` of the expected value's size; around zero within `tolerance` itself where one is given. */
export const near = (got: number, expected: number, tolerance = RELATIVE): boolean =>
  Math.abs(got - expected) <= tolerance * (tolerance > RELATIVE ? Math.max(1, Math.abs(expected)) : Math.abs(expected));

/** By how much `a` is better than `b` in the task's direction; negative when it is worse. */
export const gain = ({ direction }: Pick<Task, 'direction'>, a: number, b: number): number => (direction === 'maximise' ? a - b : b - a);

/** Beside an initial score of 0 not even the smallest doubles count as a gain. */
export const better = (task: Pick<Task, 'direction'>, a: number, b: number): boolean => gain(task, a, b) > RELATIVE * Math.max(Math.abs(a), Math.abs(b), RELATIVE);

/** The better end of what the initial program scores; null where task.yaml says nothing. */
export const initialAtBest = ({ direction, initial }: Task): number | null =>
  initial?.score ?? (initial?.band ? initial.band[direction === 'maximise' ? 1 : 0] : null);

export const within = (value: number, [low, high]: readonly [number, number]): boolean => value >= low && value <= high;

/** What an evaluation came to, in a line. */
export const told = (result: Pick<Evaluation, 'outcome' | 'execution' | 'score' | 'strictScore' | 'reasons'>): string =>
  result.outcome === 'valid'
    ? `valid, ${result.score}${result.strictScore === result.score ? '' : ` (strict ${result.strictScore})`}`
    : `${result.outcome}, ${result.execution}: ${result.reasons[0] ?? 'no reason given'}`;
