// The stored result of a program's run. Some `function` tasks have a second one, on hidden instances.
import type { Task } from '../task/task.ts';
import type { Direction, ExecutionKind, IsolationLevel, Outcome } from '../types.ts';
import type { Artifact } from './artifacts.ts';
import type { Quarantine } from './quarantine.ts';

/** Where the CPU time of a program went, by the word of its own process: nothing is decided by it. */
export type Profile = {
  /** CPU seconds of the process. */
  readonly seconds: number;
  /** The functions that took most, with their parts of it in percent; at most three. */
  readonly functions: readonly { readonly name: string; readonly percent: number }[];
};

/** What a program saved on its way (`checkpoint`). */
export type Saves = {
  readonly count: number;
  /**
   * The scores of some of them, the last among them, with the program's CPU seconds by then, by its own word (null: not
   * known). A score is null where the evaluator gives none. Left out where scoring takes long.
   */
  readonly scores?: readonly { readonly seconds: number | null; readonly score: number | null }[];
};

/** What became of a program in one stage of its evaluation. */
export type StageResult = {
  readonly name: string;
  readonly outcome: Evaluation['outcome'];
  readonly score: number | null;
  readonly cpuMs: number | null;
  /** It went on to the next stage; of the whole, which is the last: it is valid. */
  readonly passed: boolean;
};

export type Evaluation = {
  readonly outcome: Extract<Outcome, 'no_solution' | 'invalid' | 'valid'>;
  readonly execution: ExecutionKind;
  /** The raw tolerant objective in the task's direction; null unless the program is valid. */
  readonly score: number | null;
  readonly strictScore: number | null;
  readonly metrics: { readonly [name: string]: number | string | boolean };
  /** Short sentences, expected against got, that are safe to show to a model. */
  readonly reasons: readonly string[];
  /** What the evaluator shows beside its numbers. Left out where it shows nothing. */
  readonly artifacts?: readonly Artifact[];
  /** The solution as JSON text; null when there is none. */
  readonly solution: string | null;
  readonly exitCode: number | null;
  readonly cpuMs: number | null;
  /** The limit under which it ran; a run may have another one since. */
  readonly cpuLimit?: number;
  readonly wallMs: number;
  readonly peakBytes: number | null;
  readonly stdoutTail: string;
  readonly stderrTail: string;
  /** What a program that is called had printed before its first call; no drawn data are in it. */
  readonly loadTail?: string;
  readonly profile?: Profile;
  readonly saves?: Saves;
  /** The stages that it came to, where its task has any. */
  readonly stages?: readonly StageResult[];
  readonly isolation: IsolationLevel;
  readonly imageId: string;
  /** So many requests the task's evaluator made to a model. Left out where it may make none. */
  readonly modelCalls?: number;
  /** Present where the score was too good to be believed at once; with `held` it does not count. */
  readonly quarantine?: Quarantine;
};

/**
 * True where the evaluator has hidden instances (`evaluate_hidden`). By their score no run is ranked, and no model
 * reads it, because public instances can be memorised (docs/tasks.md, The function protocol).
 */
export const hasHoldout = ({ kind, evaluatorSource }: Pick<Task, 'kind' | 'evaluatorSource'>): boolean =>
  kind === 'function' && /^def evaluate_hidden\(/m.test(evaluatorSource);

/**
 * The better direction on hidden instances: the task's where data are drawn, else null, because the evaluator alone
 * knows.
 */
export const hiddenDirection = ({ data, direction }: Pick<Task, 'data' | 'direction'>): Direction | null =>
  data === 'drawn' ? direction : null;

/** The key under which the score on hidden instances is stored, made from the key of the program's evaluation. */
export const holdoutKey = (evaluation: string): string => `${evaluation}:hidden`;
