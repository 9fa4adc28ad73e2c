// The level `fast`, which runs ask for: candidates forked in warm, recycled Docker containers.
import { withRuntime } from '../../../evolution/config/levels.ts';
import type { Sandbox } from '../contract/types.ts';
import { connectDocker, createReaper } from '../launchers/docker-connection.ts';
import { createDockerLauncher } from '../launchers/docker-launcher.ts';
import { createFastLauncher } from '../launchers/fast-launcher.ts';
import { createConfinedSandbox } from '../host/confined-sandbox.ts';
import { type DockerSandboxOptions, openOnEngine } from './docker.ts';
import type { OpenLevel } from './level.ts';

export type FastSandboxOptions = DockerSandboxOptions & { readonly recycleAfter?: number; readonly idleMs?: number };

export const createFastSandbox = (options: FastSandboxOptions): Sandbox => {
  const docker = connectDocker(options.dockerHost);
  const { image, home, log, concurrency, recycleAfter, idleMs, runtime = 'engine' } = options;
  const launcher = createFastLauncher({
    docker: createDockerLauncher({ docker, image, home, log, cgroups: options.cgroups, runtime }),
    level: withRuntime('fast', runtime),
    log,
    ...(recycleAfter === undefined ? {} : { recycleAfter }),
    ...(idleMs === undefined ? {} : { idleMs }),
  });
  const reaper = createReaper({ docker, home, log });
  reaper.sweep().catch((error: Error) => log(`reaper: ${error.message}; trying again in a minute`));
  return createConfinedSandbox({
    launcher,
    home,
    concurrency,
    cores: options.cores,
    poolSize: options.poolSize ?? concurrency,
    log,
    onClose: async () => reaper.close(),
  });
};

export const open: OpenLevel = async (place, runtime) => openOnEngine(place, runtime, createFastSandbox);
