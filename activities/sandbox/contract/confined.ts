// A confined Python process, whatever confines it. Launchers: docker-launcher.ts, fast-launcher.ts,
// bubblewrap-launcher.ts.
import type { IsolationLevel } from '../../../evolution/types.ts';

export type ConfinedLimits = {
  /** RLIMIT_CPU, per process; null for trusted processes that live long. */
  readonly cpuSeconds: number | null;
  readonly memoryBytes: number;
  readonly pids: number;
};

/** `image`: a name that the launcher knows (isolation.ts), or one that the engine has. */
export type Runtime = { readonly image: string; readonly command: readonly string[] };

export type ConfinedSpec = {
  readonly source: string;
  readonly args: readonly string[];
  readonly limits: ConfinedLimits;
  /** Another image and command than Python's; the command gets `source`, then `args`. */
  readonly runtime?: Runtime;
  /**
   * Root inside, with the few capabilities that start others under uids of their own (fast-container.ts). Otherwise
   * nobody, without any.
   */
  readonly forkserver?: true;
  /** What it is for, in the labels of the container. */
  readonly run: string;
  readonly activity: string;
  /** Moment after which the reaper may remove it; null: when its owner is gone. */
  readonly deadline: Date | null;
  readonly onStdout: (chunk: Buffer) => void;
  readonly onStderr: (chunk: Buffer) => void;
};

export type Ending = {
  readonly exitCode: number | null;
  readonly oom: boolean;
  /**
   * Why nothing can be said about the process: the engine went away, or the container did. Null: it ended by itself.
   */
  readonly lost: string | null;
};

export type ResourceUse = { readonly cpuMs: number | null; readonly peakBytes: number | null };

export interface Confined {
  send(bytes: Buffer): void;
  closeInput(): void;
  /** Where it is another one than the launcher's. */
  readonly imageId?: string;
  /** Takes a unique name; a holder of the same name is killed first. */
  claim(name: string): Promise<void>;
  kill(): Promise<void>;
  readonly ended: Promise<Ending>;
  /**
   * CPU since the last call of `markUse`, and the peak since then, or since the start where the kernel cannot reset
   * it.
   */
  markUse(): void;
  use(): ResourceUse;
  /** Whether a process inside was killed for its memory, while it lives; null or absent: only its ending says so. */
  oomKilled?(): boolean | null;
  /** Runs it on this core alone, where the launcher can. Throws InfrastructureError. */
  pin?(core: number): Promise<void>;
  /** Removes it for good; never throws. */
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
