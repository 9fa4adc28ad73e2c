// The result of evaluating one program: what is stored, shown and ranked.
import type { Quarantine } from './quarantine.ts';
import type { ExecutionKind, IsolationLevel, Outcome } from './types.ts';

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
