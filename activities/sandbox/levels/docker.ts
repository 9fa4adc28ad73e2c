// The level `docker`: a hardened Docker container for each program, with a reaper.
import type Docker from 'dockerode';
import type { Task } from '../../../evolution/task/task.ts';
import type { OciRuntime } from '../../../evolution/types.ts';
import type { Launcher, Log } from '../contract/confined.ts';
import { type Gate, InfrastructureError, type Sandbox, type Scorer } from '../contract/types.ts';
import { createConfinedSandbox } from '../host/confined-sandbox.ts';
import type { Cores } from '../host/cores.ts';
import { Devices, deviceProblem } from '../host/devices.ts';
import { createGate } from '../host/gate.ts';
import { createScorer } from '../host/scorer.ts';
import { connectDocker, createReaper } from '../launchers/docker-connection.ts';
import { createDockerLauncher } from '../launchers/docker-launcher.ts';
import { type Isolation, isolation, type LevelPlace, type OpenLevel } from './level.ts';

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
  /** The OCI runtime of all containers. */
  readonly runtime?: OciRuntime | undefined;
  /** See the launcher. */
  readonly cgroups?: string | undefined;
  /** GPUs that programs may be given, by the names that the engine has for them. */
  readonly gpus?: LevelPlace['gpus'];
  readonly data?: LevelPlace['data'];
  readonly log: Log;
};

/** A sandbox on an engine, where a reaper removes containers that were left behind. */
export const onEngine = (
  { home, concurrency, cores, log }: DockerSandboxOptions,
  docker: Docker,
  launcher: Launcher,
  devices?: Devices,
): Sandbox => {
  const reaper = createReaper({ docker, home, log });
  reaper.sweep().catch((error: Error) => log(`reaper: ${error.message}; trying again in a minute`));
  const onClose = async (): Promise<void> => reaper.close();
  return createConfinedSandbox({ launcher, home, concurrency, cores, log, devices, onClose });
};

export const dataOfCandidates = ({ data }: Pick<DockerSandboxOptions, 'data'>): string | undefined =>
  data?.candidates === true ? data.folder : undefined;

/** Preflight and self-test happen before the first container; their failure is an InfrastructureError of that run. */
export const createDockerSandbox = (options: DockerSandboxOptions): Sandbox => {
  const { dockerHost, image, home, log, cgroups, runtime, gpus } = options;
  const data = dataOfCandidates(options);
  const docker = connectDocker(dockerHost);
  const launcher = createDockerLauncher({ docker, image, home, log, cgroups, runtime, data });
  const devices = gpus && new Devices({ ...gpus, problemOf: deviceProblem(launcher), log });
  return onEngine(options, docker, launcher, devices);
};

/** Scorers and gates read what untrusted programs made, so they run under the same runtime as the programs. */
type TrustedOptions = Pick<DockerSandboxOptions, 'dockerHost' | 'image' | 'home' | 'runtime' | 'data' | 'log'>;

const trustedLauncher = ({ data, ...options }: TrustedOptions) =>
  createDockerLauncher({ ...options, data: data?.folder, docker: connectDocker(options.dockerHost), trusted: true });

export const createDockerScorer = ({ task, ...options }: TrustedOptions & { readonly task: Task }): Scorer =>
  createScorer(trustedLauncher(options), task, options.log);

export const createDockerGate = (options: TrustedOptions): Gate => createGate(trustedLauncher(options), options.log);

/** A level whose sandbox is on the engine of the machine. */
export const openOnEngine = (
  { image, dockerHost, home, concurrency, cores, gpus, data, log }: LevelPlace,
  runtime: OciRuntime,
  createSandbox: (options: DockerSandboxOptions) => Sandbox,
): Isolation => {
  if (image === null)
    throw new InfrastructureError(
      "expected EVOLVE_IMAGE, the evaluator image, in the sandbox worker's environment: `evolve up` sets it once a Docker engine is there",
    );
  const engine = { dockerHost, image, home, log, runtime, data };
  return isolation({
    sandbox: createSandbox({ ...engine, concurrency, cores, gpus }),
    gate: createDockerGate(engine),
    scorerFor: (task) => createDockerScorer({ ...engine, task }),
  });
};

export const open: OpenLevel = async (place, runtime) => openOnEngine(place, runtime, createDockerSandbox);
