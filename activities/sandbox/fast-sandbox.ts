// The opt-in sandbox of the level `fast`: candidates forked in warm, recycled Docker containers. Made by workers/isolation.ts.
import { createConfinedSandbox } from './confined-sandbox.ts';
import { connectDocker } from './docker-connection.ts';
import { createDockerLauncher } from './docker-launcher.ts';
import type { DockerSandboxOptions } from './docker-sandbox.ts';
import { createFastLauncher } from './fast-launcher.ts';
import { createReaper } from './reaper.ts';
import type { Sandbox } from './types.ts';

export type FastSandboxOptions = DockerSandboxOptions & { readonly recycleAfter?: number; readonly idleMs?: number };

export const createFastSandbox = (options: FastSandboxOptions): Sandbox => {
  const docker = connectDocker(options.dockerHost);
  const { image, home, log, concurrency, recycleAfter, idleMs } = options;
  const launcher = createFastLauncher({
    docker: createDockerLauncher({ docker, image, home, log }), log,
    ...(recycleAfter === undefined ? {} : { recycleAfter }), ...(idleMs === undefined ? {} : { idleMs }),
  });
  const reaper = createReaper({ docker, home, log });
  reaper.sweep().catch((error: Error) => log(`reaper: ${error.message}; trying again in a minute`));
  return createConfinedSandbox({
    launcher, home, concurrency, poolSize: options.poolSize ?? concurrency, log, onClose: async () => reaper.close(),
  });
};
