// The interfaces of a sandbox. One suite of contract tests covers all implementations.
import type { Artifact } from '../../../evolution/scoring/artifacts.ts';
import type { Profile } from '../../../evolution/scoring/evaluation.ts';
import type { TaskLimits, TaskScript } from '../../../evolution/task/task.ts';
import type { ExecutionKind, IsolationLevel, Json } from '../../../evolution/types.ts';
import type { Awake } from './confined.ts';
import type { Fault } from './fair-clock.ts';
import type { Frame } from './frames.ts';

/** One execution of one candidate program. */
export type SandboxJob = {
  /** Evaluation key and attempt. They name the container, so that the engine refuses a duplicate. */
  readonly key: string;
  readonly run: string;
  readonly code: string;
  readonly entry: string;
  /** Public instance with `seed` and `time_limit_s`. */
  readonly instance: { readonly [key: string]: Json };
  readonly limits: TaskLimits;
  readonly acceptSavedOnTimeout: boolean;
  /** GPUs that the program has to itself; none where it is left out. */
  readonly gpus?: number | undefined;
  /** Modules that its task wants imported before it. */
  readonly preload?: readonly string[] | undefined;
  /** Environment variables beside those of every program. */
  readonly env?: { readonly [name: string]: string } | undefined;
  /** Called once the process has its program; `tail` gives the end of what it has printed so far. */
  readonly onOutput?: ((tail: () => string) => void) | undefined;
};

/** A finished execution. `solution` is a claim made by untrusted code; only the scorer turns it into a score. */
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
  /** What a program that is called had printed before its first call. */
  readonly loadTail?: string;
  readonly truncated: boolean;
  /** Not the program ended it (`Ending.killed`). */
  readonly killed?: boolean;
  /** At the end of its time a signal had stopped it: its own, or one from outside. */
  readonly stopped?: boolean;
  /** Where the program's time went, by its own word; left out where it was too short to say, or said nothing. */
  readonly profile?: Profile;
  /** The number of solutions that it saved, and some of them with its CPU seconds by then. Left out where there are none. */
  readonly saves?: {
    readonly count: number;
    readonly kept: readonly { readonly seconds: number | null; readonly solution: Json }[];
  };
  /** A program that a limit on time ended had saved a solution before. */
  readonly saved: boolean;
  readonly isolation: IsolationLevel;
  readonly imageId: string;
};

/**
 * A program of a `function` task that waits for calls in its own container. It exchanges the bytes of messages and
 * nothing more.
 */
export type Conversation = {
  /** Sends one message, which the process reads when it gets to it. */
  send(kind: 'Q' | 'P', payload: Buffer): void;
  /** The next message in order of arrival, or null once the process has ended. Only one call may wait at a time. */
  next(): Promise<Frame | null>;
  /** CPU of the whole container since the program was handed over, or null where it cannot be read. */
  cpuMs(): number | null;
  awake(): Awake;
  /** The time for which the host answered what the evaluator of a script asked a model. */
  pausedMs(): number;
  kill(why: 'timeout_wall' | 'invalid_output' | Fault): void;
};

/** The way of an evaluator to a model. */
export type Models = {
  /** Requests in the form of chat completions, and for each a status of HTTP with its body. */
  answer(
    requests: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly { readonly status: number; readonly body: Json }[]>;
};

export type FunctionJob = Omit<SandboxJob, 'acceptSavedOnTimeout'> & {
  readonly harness: string;
  /** The evaluator of a `script` task, which runs beside the program. */
  readonly script?: TaskScript | undefined;
  readonly models?: Models | undefined;
  /** The program runs pinned to a core on which no other such job runs. */
  readonly timed: boolean;
  /** The task's own program as the clock's reference, in a second container on the same core. */
  readonly reference: string | null;
};

export interface Sandbox {
  readonly level: IsolationLevel;
  readonly imageId: string;
  /** Runs a job to its end. Throws InfrastructureError, never for a program's own failure. */
  run(job: SandboxJob, signal: AbortSignal): Promise<Execution>;
  /**
   * Loads a program and lets `talk` call it until it is done; `talk` is not called when the program does not load.
   * The execution is `ok` when the program still stood at the end. Throws InfrastructureError, and what `talk`
   * throws. `talk` may resolve to what the program said of a failure.
   */
  converse(
    job: FunctionJob,
    talk: (candidate: Conversation, reference: Conversation | null) => Promise<string | void>,
    signal: AbortSignal,
  ): Promise<Execution>;
  /** The GPUs of the host that work, where it has any. Throws InfrastructureError where it should and none does. */
  checkGpus?(): Promise<readonly string[]>;
  /** Containers waiting for work are removed; running ones are killed. */
  close(): Promise<void>;
}

export type Score = {
  readonly valid: boolean;
  /** Raw objective, or null when it is not finite or not valid. */
  readonly score: number | null;
  readonly strictScore: number | null;
  readonly metrics: { readonly [name: string]: number | string | boolean };
  readonly reasons: readonly string[];
  readonly artifacts?: readonly Artifact[];
};

/** `failure` says why the program gave no answer, where that ended the evaluation. */
export type Verdict = Score & { readonly failure: 'raised' | 'malformed' | 'late' | 'gone' | null };

/** Scores solutions in a trusted container that never sees candidate code. */
export interface Scorer {
  score(solution: Json, signal: AbortSignal): Promise<Score>;
  /** Lets the evaluator of a `function` task call the program; `extra` joins the instance on its side. */
  judge(
    talk: {
      readonly candidate: Conversation;
      readonly reference: Conversation | null;
      readonly extra: { readonly [key: string]: Json };
    },
    signal: AbortSignal,
  ): Promise<Verdict>;
  close(): Promise<void>;
}

/** Parses programs without running them, with a real Python, in a container of its own. */
export interface Gate {
  /**
   * Null where the source compiles, defines `entry` (empty: nothing), and none of the files behind its first `own` ones
   * has the name of an installed module; otherwise a short reason. `own` left out: it has no other files.
   */
  check(
    sources: readonly string[],
    wanted: { readonly entry: string; readonly own?: number | undefined },
    signal: AbortSignal,
  ): Promise<readonly (string | null)[]>;
  close(): Promise<void>;
}

/** The engine, the image or the connection failed. This says nothing about the program, so it is tried again. */
export class InfrastructureError extends Error {
  override readonly name = 'InfrastructureError';
}

export const PAUSED = 'a container was paused from outside: it is replaced, and what ran in it is run again';
