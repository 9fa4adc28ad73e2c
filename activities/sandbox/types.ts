// What a sandbox takes and gives. Implementations: docker, bubblewrap, noop, fake - one contract suite for all.
import type { TaskLimits } from '../../evolution/task.ts';
import type { ExecutionKind, IsolationLevel, Json } from '../../evolution/types.ts';

/** One execution of one candidate program. */
export type SandboxJob = {
  /** Evaluation key and attempt: names the container, so that a duplicate is refused by the engine. */
  readonly key: string;
  readonly run: string;
  readonly code: string;
  readonly entry: string;
  /** Public instance with `seed` and `time_limit_s`. */
  readonly instance: { readonly [key: string]: Json };
  readonly limits: TaskLimits;
  readonly acceptSavedOnTimeout: boolean;
};

/** How an execution ended. `solution` is a claim made by untrusted code; only the scorer turns it into a score. */
export type Execution = {
  readonly kind: ExecutionKind;
  readonly solution: Json | undefined;
  readonly exitCode: number | null;
  readonly oom: boolean;
  readonly cpuMs: number | null;
  readonly wallMs: number;
  readonly peakBytes: number | null;
  readonly stdoutTail: string;
  readonly stderrTail: string;
  readonly truncated: boolean;
  readonly isolation: IsolationLevel;
  readonly imageId: string;
};

export interface Sandbox {
  readonly level: IsolationLevel;
  readonly imageId: string;
  /** Runs a job to its end. Throws InfrastructureError, never for a program's own failure. */
  run(job: SandboxJob, signal: AbortSignal): Promise<Execution>;
  /** Containers waiting for work are removed; running ones are killed. */
  close(): Promise<void>;
}

export type Score = {
  readonly valid: boolean;
  /** Raw objective; null when not finite or not valid. */
  readonly score: number | null;
  readonly strictScore: number | null;
  readonly metrics: { readonly [name: string]: number | string | boolean };
  readonly reasons: readonly string[];
};

/** Scores solutions in a trusted container that never sees candidate code. */
export interface Scorer {
  score(solution: Json, signal: AbortSignal): Promise<Score>;
  close(): Promise<void>;
}

/** Parses programs without running them, with a real Python, in a container of its own. */
export interface Gate {
  /** Null where the source compiles and defines the entry point; otherwise a short reason. */
  check(sources: readonly string[], entry: string, signal: AbortSignal): Promise<readonly (string | null)[]>;
  close(): Promise<void>;
}

/** The engine, the image or the connection failed: retry, it says nothing about the program. */
export class InfrastructureError extends Error {
  override readonly name = 'InfrastructureError';
}
