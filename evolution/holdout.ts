// Hidden instances of `function` tasks: a second score that no run is ranked by and no model reads, since public instances can be memorised
// (reference `tasks`, section 5, rule 15). Pure; used by the run, the evaluator's activity and the CLI.
import type { Task } from './task.ts';

/** Whether the task's evaluator has instances of this kind: a Python function `evaluate_hidden`. */
export const hasHoldout = ({ kind, evaluatorSource }: Pick<Task, 'kind' | 'evaluatorSource'>): boolean => kind === 'function' && /^def evaluate_hidden\(/m.test(evaluatorSource);

/** The key under which the score on hidden instances is stored, from the key of the program's evaluation. */
export const holdoutKey = (evaluation: string): string => `${evaluation}:hidden`;
