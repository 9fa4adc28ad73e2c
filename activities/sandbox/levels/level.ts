// The interface of a level of isolation. A level's module (its `launcher` in evolution/config/levels.ts) exports
// `open`.
import type { Task } from '../../../evolution/task/task.ts';
import type { OciRuntime } from '../../../evolution/types.ts';
import type { Log } from '../contract/confined.ts';
import type { Gate, Sandbox, Scorer } from '../contract/types.ts';
import type { Cores } from '../host/cores.ts';
import type { DeviceLocks } from '../host/devices.ts';

/** The machine and the process for which a level is opened. */
export type LevelPlace = {
  readonly env: NodeJS.ProcessEnv;
  /**
   * Short hash of EVOLVE_HOME. It is a label and part of names, so that two homes never touch each other's containers.
   */
  readonly home: string;
  /** Programs that run at a time. */
  readonly concurrency: number;
  /** Shared with other levels of the process. */
  readonly cores: Cores | undefined;
  /** The default of the engine's address is DOCKER_HOST, else /var/run/docker.sock. */
  readonly dockerHost: string | undefined;
  /** The evaluator image in the engine; null where there is none. */
  readonly image: string | null;
  /** The files of the evaluator image as a folder, for levels without an engine. */
  readonly rootfs: () => Promise<{ readonly path: string; readonly id: string }>;
  /** GPUs that programs may be given, by the names that the engine has for them. */
  readonly gpus: { readonly ids: readonly string[]; readonly locks: DeviceLocks } | undefined;
  /** The folder of a task's data files; programs see it where `candidates` says so, and evaluators always. */
  readonly data: { readonly folder: string; readonly candidates: boolean } | undefined;
  readonly log: Log;
};

export type Isolation = {
  readonly sandbox: Sandbox;
  readonly gate: Gate;
  readonly scorerFor: (task: Task) => Scorer;
  readonly close: () => Promise<void>;
};

export type OpenLevel = (place: LevelPlace, runtime: OciRuntime) => Promise<Isolation>;

/** Ends the sandbox and the gate together. */
export const isolation = (parts: Omit<Isolation, 'close'>): Isolation => ({
  ...parts,
  close: async () => {
    await Promise.allSettled([parts.sandbox.close(), parts.gate.close()]);
  },
});
