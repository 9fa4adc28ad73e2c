// The default sandbox: a pool of hardened single-use Docker containers, with a reaper.
import type { OciRuntime } from '../../../evolution/types.ts';
import type { Log } from '../contract/confined.ts';
import type { Sandbox } from '../contract/types.ts';
import { connectDocker, createReaper } from '../launchers/docker-connection.ts';
import { createDockerLauncher } from '../launchers/docker-launcher.ts';
import { createConfinedSandbox } from './confined-sandbox.ts';
import type { Cores } from './cores.ts';
import { createDevices, type DeviceLocks, deviceProblem } from './devices.ts';

export type DockerSandboxOptions = {
  /** The default is DOCKER_HOST, else /var/run/docker.sock. */
  readonly dockerHost?: string | undefined;
  readonly image: string;
  /**
   * Short hash of EVOLVE_HOME. It is the label `evolve.home` and part of names, so that two homes never touch each
   * other's containers.
   */
  readonly home: string;
  /** Number of programs that run at a time: the number of cores. */
  readonly concurrency: number;
  /** Shared with other sandboxes of the process. */
  readonly cores?: Cores | undefined;
  /** Number of containers that wait. The default is concurrency + 1. */
  readonly poolSize?: number | undefined;
  /** Gives the image of a program in another language, by the name in its task. */
  readonly imageFor?: (name: string) => Promise<string>;
  /** The OCI runtime of all containers. */
  readonly runtime?: OciRuntime | undefined;
  /** See the launcher. */
  readonly cgroups?: string | undefined;
  /** GPUs that programs may be given, by the names that the engine has for them. */
  readonly gpus?: { readonly ids: readonly string[]; readonly locks: DeviceLocks } | undefined;
  readonly log: Log;
};

/** Preflight and self-test happen before the first container; their failure is an InfrastructureError of that run. */
export const createDockerSandbox = (options: DockerSandboxOptions): Sandbox => {
  const docker = connectDocker(options.dockerHost);
  const launcher = createDockerLauncher({
    docker,
    image: options.image,
    home: options.home,
    log: options.log,
    cgroups: options.cgroups,
    runtime: options.runtime,
    ...(options.imageFor === undefined ? {} : { imageFor: options.imageFor }),
  });
  const reaper = createReaper({ docker, home: options.home, log: options.log });
  reaper.sweep().catch((error: Error) => options.log(`reaper: ${error.message}; trying again in a minute`));
  return createConfinedSandbox({
    launcher,
    home: options.home,
    concurrency: options.concurrency,
    cores: options.cores,
    poolSize: options.poolSize ?? options.concurrency + 1,
    log: options.log,
    devices: options.gpus && createDevices({ ...options.gpus, problemOf: deviceProblem(launcher), log: options.log }),
    onClose: async () => reaper.close(),
  });
};
