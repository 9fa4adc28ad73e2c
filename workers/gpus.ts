// The GPUs that this host gives to programs: how many, from the environment, and the locks by which all processes of the
// machine agree who has which.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DockerSandboxOptions } from '../activities/sandbox/host/docker-sandbox.ts';
import { tryLock, unlock } from '../deploy/host/lock.ts';
import { ownFolder } from '../deploy/host/private.ts';

/** The engine names them by their numbers, from 0. Undefined where programs get none. */
export const gpusOf = (count: number): DockerSandboxOptions['gpus'] => {
  if (count === 0) return undefined;
  // Is the same for all data directories of a user, because a device is the machine's.
  const folder = ownFolder(join(tmpdir(), `evolve-gpus-${process.getuid?.() ?? 0}`));
  const file = (device: string): string => join(folder, `gpu-${device}.lock`);
  return {
    ids: Array.from({ length: count }, (_, at) => String(at)),
    locks: { take: (device) => tryLock(file(device)), give: (device) => unlock(file(device)) },
  };
};
