// A confined process and what starts one (a launcher), whatever confines it: Docker, a warm container or bubblewrap.
import type { IsolationLevel } from '../../../evolution/types.ts';

export type ConfinedLimits = {
  /** RLIMIT_CPU, which holds for each process. Null for trusted processes that live long. */
  readonly cpuSeconds: number | null;
  readonly memoryBytes: number;
  readonly pids: number;
  /** Cores that all its processes may use at a time; 1 where it is left out. */
  readonly cores?: number;
};

export type ConfinedSpec = {
  readonly source: string;
  readonly args: readonly string[];
  readonly limits: ConfinedLimits;
  /** Those of `args` that its task names, whatever the program imports. */
  readonly preload?: readonly string[];
  /**
   * The process is root inside, with the few capabilities that it needs to start others under uids of their own (the
   * fast level). Without this it is nobody and has none.
   */
  readonly forkserver?: true;
  /** GPUs that it alone gets, by the names that the engine has for them. */
  readonly devices?: readonly string[];
  /** Its purpose, in the labels of the container. */
  readonly run: string;
  readonly activity: string;
  /** The moment after which the reaper may remove it. Null means when the process that started it is gone. */
  readonly deadline: Date | null;
  readonly onStdout: (chunk: Buffer) => void;
  readonly onStderr: (chunk: Buffer) => void;
};

export type Ending = {
  readonly exitCode: number | null;
  readonly oom: boolean;
  /** By the word of the engine or the kernel somebody ended it, or the machine had no memory left. Its exit code says nothing of it. */
  readonly killed?: boolean;
  /**
   * The reason for which nothing can be said about the process: the engine or the container went away. Null where it
   * ended by itself.
   */
  readonly lost: string | null;
};

/**
 * True where one of its threads runs, or would run if it had a core. `stopped`: a signal stopped one of them, and none
 * runs. `frozen`: somebody outside paused the container, which no program can do.
 */
export type Awake = boolean | 'stopped' | 'frozen' | null;

export type ResourceUse = { readonly cpuMs: number | null; readonly peakBytes: number | null };

export interface Confined {
  send(bytes: Buffer): void;
  closeInput(): void;
  /**
   * It keeps what it is sent until it is ready, and can say after its end what it used. So nobody waits for its greeting,
   * and its input may end at once.
   */
  readonly takesAllAtOnce?: true;
  /** Takes a unique name. A process that holds the same name is killed first. */
  claim(name: string): Promise<void>;
  kill(): Promise<void>;
  readonly ended: Promise<Ending>;
  /**
   * CPU since the last call of `markUse`, and peak memory since then, or since the start where the kernel cannot reset
   * it.
   */
  markUse(): void;
  use(): ResourceUse;
  /** A launcher that cannot see it has no such method, or answers null. */
  awake?(): Awake;
  /** Asks for the CPU time where `use` cannot read it at once; `use` then gives what came. It never throws. */
  sample?(): Promise<void>;
  /**
   * A process inside was killed for its memory, while the container lives. Where it is null or absent, only the
   * ending says so.
   */
  oomKilled?(): boolean | null;
  /** Runs it on this core alone, where the launcher can do that. Throws InfrastructureError. */
  pin?(core: number): Promise<void>;
  /** Removes it for good. It never throws. */
  remove(): Promise<void>;
}

export interface Launcher {
  readonly level: IsolationLevel;
  readonly imageId: string;
  /** Resolves once the process runs. Throws InfrastructureError. */
  launch(spec: ConfinedSpec): Promise<Confined>;
  close(): Promise<void>;
}

export type Log = (line: string) => void;
