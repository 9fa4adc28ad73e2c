// The level `fast`, which runs ask for: candidates forked in warm, recycled Docker containers.
import { withRuntime } from '../../../evolution/config/levels.ts';
import type { Sandbox } from '../contract/types.ts';
import { connectDocker } from '../launchers/docker-connection.ts';
import { createDockerLauncher } from '../launchers/docker-launcher.ts';
import { createFastLauncher } from '../launchers/fast-launcher.ts';
import { type DockerSandboxOptions, onEngine, openOnEngine } from './docker.ts';
import type { OpenLevel } from './level.ts';

export type FastSandboxOptions = DockerSandboxOptions & { readonly recycleAfter?: number; readonly idleMs?: number };

export const createFastSandbox = (options: FastSandboxOptions): Sandbox => {
  const { image, home, log, cgroups, concurrency, recycleAfter, idleMs, runtime = 'engine' } = options;
  const docker = connectDocker(options.dockerHost);
  const launcher = createFastLauncher({
    docker: createDockerLauncher({ docker, image, home, log, cgroups, runtime }),
    level: withRuntime('fast', runtime),
    ...{ log, recycleAfter, idleMs },
  });
  return onEngine({ ...options, poolSize: options.poolSize ?? concurrency }, docker, launcher);
};

export const open: OpenLevel = async (place, runtime) => openOnEngine(place, runtime, createFastSandbox);
