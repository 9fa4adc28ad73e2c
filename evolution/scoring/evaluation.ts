// The result of evaluating one program: what is stored, shown and ranked.
import type { Task } from '../task.ts';
import type { ExecutionKind, IsolationLevel, Outcome } from '../types.ts';
import type { Quarantine } from './quarantine.ts';

export type Evaluation = {
  readonly outcome: Extract<Outcome, 'no_solution' | 'invalid' | 'valid'>;
  readonly execution: ExecutionKind;
  /** Raw tolerant objective in the task's direction; null unless valid. */
  readonly score: number | null;
  readonly strictScore: number | null;
  readonly metrics: { readonly [name: string]: number | string | boolean };
  /** Short, expected against got, safe to show to a model. */
  readonly reasons: readonly string[];
  /** The solution as JSON text; null when there is none. */
  readonly solution: string | null;
  readonly exitCode: number | null;
  readonly cpuMs: number | null;
  readonly wallMs: number;
  readonly peakBytes: number | null;
  readonly stdoutTail: string;
  readonly stderrTail: string;
  readonly isolation: IsolationLevel;
  readonly imageId: string;
  /** Present where the score was too good to be believed at once; `held`: it does not count. */
  readonly quarantine?: Quarantine;
};

// Hidden instances of `function` tasks: a second score that no run is ranked by and no model reads, since public
// instances can be memorised (docs/tasks.md, The function protocol). Pure.
/** Whether the task's evaluator has instances of this kind: a Python function `evaluate_hidden`. */
export const hasHoldout = ({ kind, evaluatorSource }: Pick<Task, 'kind' | 'evaluatorSource'>): boolean =>
  kind === 'function' && /^def evaluate_hidden\(/m.test(evaluatorSource);

/** The key under which the score on hidden instances is stored, from the key of the program's evaluation. */
export const holdoutKey = (evaluation: string): string => `${evaluation}:hidden`;
