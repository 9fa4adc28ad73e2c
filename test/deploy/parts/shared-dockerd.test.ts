// The register of the shared engine, and - where we may - a real engine of the test's own beside the machine's.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isAlive, signal, waitGone } from '../../../deploy/host/process-identity.ts';
import { findOnPath, isRoot } from '../../../deploy/host/run-command.ts';
import { containerdOf, type DockerdPlaces, stopDockerd } from '../../../deploy/parts/docker/dockerd.ts';
import { engineAnswers } from '../../../deploy/parts/docker/engine-address.ts';
import { addUser, ensureOwnedEngine, ownedEngine, releaseUser } from '../../../deploy/parts/docker/shared-dockerd.ts';
import { eventually, scratchDirectory } from '../scratch.ts';

const placesIn = (directory: string): DockerdPlaces => ({
  socket: join(directory, 'docker.sock'),
  dataRoot: join(directory, 'data'),
  execRoot: join(directory, 'exec'),
  pidFile: join(directory, 'docker.pid'),
  log: join(directory, 'dockerd.log'),
});

const homesIn = (directory: string): readonly [string, string] => {
  const homes = [join(directory, 'a'), join(directory, 'b')] as const;
  for (const home of homes) mkdirSync(home);
  return homes;
};

describe('users of the shared engine', () => {
  it('never stop an engine that none of us started', async () => {
    const register = join(scratchDirectory(), 'register');
    await addUser(register, 'a', '/');
    expect(await releaseUser(register, 'a')).toBe('not ours');
    expect(await releaseUser(register, 'a')).toBe('not ours');
  });
});

describe.skipIf(!isRoot() || !findOnPath('dockerd'))('an engine of our own', () => {
  const startIn = async (directory: string): Promise<DockerdPlaces> => {
    const places = placesIn(directory);
    onTestFinished(async () => {
      const left = ownedEngine(join(directory, 'register'));
      if (left) await stopDockerd(left, places);
      // A killed daemon leaves its data directory mounted on itself, once for each start.
      while (spawnSync('umount', [places.dataRoot!]).status === 0);
    });
    await ensureOwnedEngine(join(directory, 'register'), places);
    return places;
  };

  it('is started once, serves two homes, and stops with the last', async () => {
    const directory = scratchDirectory();
    const [register, [a, b]] = [join(directory, 'register'), homesIn(directory)];
    await addUser(register, 'a', a);
    await addUser(register, 'b', b);
    const places = await startIn(directory);
    const engine = ownedEngine(register)!;
    expect((await ensureOwnedEngine(register, places))?.pid).toBe(engine.pid);
    expect(await engineAnswers(`unix://${places.socket}`)).toBe(true);
    const containerd = containerdOf(places)!;
    expect(await releaseUser(register, 'a')).toBe('still used');
    expect(isAlive(engine)).toBe(true);
    expect(await releaseUser(register, 'b')).toBe('stopped');
    expect(isAlive(engine)).toBe(false);
    expect(isAlive(containerd)).toBe(false);
  });

  it('starts again after a kill, whatever pid files are left, and does not count homes that were removed', async () => {
    const directory = scratchDirectory();
    const [register, [a, b]] = [join(directory, 'register'), homesIn(directory)];
    await addUser(register, 'a', a);
    await addUser(register, 'b', b);
    const places = await startIn(directory);
    const first = ownedEngine(register)!;
    const containerd = containerdOf(places)!;
    signal(first, 'SIGKILL');
    signal(containerd, 'SIGKILL');
    await waitGone([first, containerd], 120_000);
    writeFileSync(places.pidFile!, String(process.pid));
    expect(ownedEngine(register)).toBeNull();
    const second = await ensureOwnedEngine(register);
    expect(second).not.toBeNull();
    expect(second!.pid).not.toBe(first.pid);
    await eventually('an answer', () => engineAnswers(`unix://${places.socket}`));
    rmSync(b, { recursive: true });
    expect(await releaseUser(register, 'a')).toBe('stopped');
  });
});
