// A Docker engine of the test's own that has gVisor as the runtime `runsc`, beside the machine's engine, which stays as
// it is. It is made by the code that `evolve up --runtime runsc` uses.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOnPath, isRoot } from '../../../deploy/host/run-command.ts';
import { stopDockerd, type DockerdPlaces } from '../../../deploy/parts/docker/dockerd.ts';
import { findRunsc, RUNSC_ARGS } from '../../../deploy/stack/oci-runtimes.ts';
import { addRuntimeToOwned, ensureOwnedEngine, ownedEngine } from '../../../deploy/parts/docker/shared-dockerd.ts';

/** Why gVisor is not tested here; null where it is. */
export const noGvisor = async (): Promise<string | null> => {
  if (process.arch !== 'x64') return 'our seccomp profile is for x86-64';
  if (!isRoot() || !findOnPath('dockerd')) return 'no right to start a Docker engine';
  return findRunsc().then(
    () => null,
    (error: Error) => error.message,
  );
};

export type GvisorEngine = {
  readonly dockerHost: string;
  readonly runtime: 'runsc';
  readonly close: () => Promise<void>;
};

export const startGvisorEngine = async (): Promise<GvisorEngine> => {
  const path = await findRunsc();
  // Short, because the path of a socket has at most 107 characters.
  const directory = mkdtempSync(join(tmpdir(), 'evolve-gv-'));
  const register = join(directory, 'register');
  const places: DockerdPlaces = {
    socket: join(directory, 'docker.sock'),
    dataRoot: join(directory, 'data'),
    execRoot: join(directory, 'exec'),
    pidFile: join(directory, 'docker.pid'),
    log: join(directory, 'dockerd.log'),
  };
  const close = async (): Promise<void> => {
    const left = ownedEngine(register);
    if (left) await stopDockerd(left, places);
    // A stopped daemon leaves its data directory mounted on itself, and gVisor an empty network namespace.
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    for (const mount of mounts.flatMap((line) => line.split(' ')[1] ?? []))
      if (mount.startsWith(directory)) spawnSync('umount', ['--lazy', mount]);
    try {
      rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
    } catch (error) {
      console.warn(`${directory} is left: ${(error as Error).message}`);
    }
  };
  try {
    await ensureOwnedEngine(register, places);
    if (!(await addRuntimeToOwned(register, 'runsc', { path, runtimeArgs: RUNSC_ARGS })))
      throw new Error('expected an engine of our own');
  } catch (error) {
    await close();
    throw error;
  }
  return { dockerHost: `unix://${places.socket}`, runtime: 'runsc', close };
};
