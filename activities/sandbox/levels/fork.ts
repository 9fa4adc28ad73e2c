// The default level: candidates forked, each into namespaces of its own, by a parent in a Docker container that has
// their imports loaded.
import { withRuntime } from '../../../evolution/config/levels.ts';
import type { Sandbox } from '../contract/types.ts';
import { connectDocker } from '../launchers/docker-connection.ts';
import { createDockerLauncher } from '../launchers/docker-launcher.ts';
import { createForkLauncher } from '../launchers/fork-launcher.ts';
import { dataOfCandidates, type DockerSandboxOptions, onEngine, openOnEngine } from './docker.ts';
import type { OpenLevel } from './level.ts';

export type ForkSandboxOptions = DockerSandboxOptions & { readonly recycleAfter?: number; readonly idleMs?: number };

export const createForkSandbox = (options: ForkSandboxOptions): Sandbox => {
  const { image, home, log, cgroups, recycleAfter, idleMs, runtime = 'engine' } = options;
  const docker = connectDocker(options.dockerHost);
  const launcher = createForkLauncher({
    docker: createDockerLauncher({ docker, image, home, log, cgroups, runtime, data: dataOfCandidates(options) }),
    level: withRuntime('fork', runtime),
    ...{ log, recycleAfter, idleMs },
  });
  return onEngine(options, docker, launcher);
};

export const open: OpenLevel = async (place, runtime) => openOnEngine(place, runtime, createForkSandbox);
