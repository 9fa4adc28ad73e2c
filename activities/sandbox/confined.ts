// A confined Python process, whatever confines it. Launchers: docker-launcher.ts, bubblewrap-launcher.ts.
// Used by candidate-pool.ts (one process per candidate) and resident.ts (the scorer and the gate).
import type { IsolationLevel } from '../../evolution/types.ts';

export type ConfinedLimits = {
  /** RLIMIT_CPU, per process; null for trusted processes that live long. */
  readonly cpuSeconds: number | null;
  readonly memoryBytes: number;
  readonly pids: number;
};

export type ConfinedSpec = {
  readonly source: string;
  readonly args: readonly string[];
  readonly limits: ConfinedLimits;
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
  /** Why nothing can be said about the process: the engine went away, or the container did. Null: it ended by itself. */
  readonly lost: string | null;
};

export type ResourceUse = { readonly cpuMs: number | null; readonly peakBytes: number | null };

export interface Confined {
  send(bytes: Buffer): void;
  closeInput(): void;
  /** Takes a unique name; a holder of the same name is killed first. */
  claim(name: string): Promise<void>;
  kill(): Promise<void>;
  readonly ended: Promise<Ending>;
  /** CPU since the last call of `markUse`, and the peak since the start. */
  markUse(): void;
  use(): ResourceUse;
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
