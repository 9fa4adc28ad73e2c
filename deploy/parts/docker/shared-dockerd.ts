// One Docker engine serves all homes of a machine. A register says who uses it and whether an evolve home started it,
// so that the last user's `down` stops an engine of ours and never one of somebody else.
import { accessSync, constants, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJsonOrNull, writeJsonAtomically } from '../../host/files.ts';
import { withLock } from '../../host/lock.ts';
import { ownFolder } from '../../host/private.ts';
import { isAlive, type ProcessRef } from '../../host/process-identity.ts';
import { isRoot } from '../../host/run-command.ts';
import {
  addRuntime,
  DEFAULT_SOCKET,
  type DockerdPlaces,
  type OciRuntimeEntry,
  startDockerd,
  stopDockerd,
} from './dockerd.ts';
import { engineAnswers } from './engine-address.ts';

type Owner = ProcessRef & { readonly places: DockerdPlaces };
type User = { readonly home: string };

const writable = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

/**
 * The register is cleared by a reboot, as is the engine. Root alone starts engines; all other users have registers of
 * their own, since none of them could write into that of another.
 */
export const defaultRegister = (): string =>
  ownFolder(
    isRoot() && writable('/run') ? '/run/evolve-dockerd' : join(tmpdir(), `evolve-dockerd-${process.getuid?.() ?? 0}`),
  );

const ownerFile = (register: string): string => join(register, 'owner');
const usersOf = (register: string): string => join(register, 'users');
const locked = <T>(register: string, work: () => Promise<T>): Promise<T> => {
  mkdirSync(usersOf(register), { recursive: true });
  return withLock(join(register, 'lock'), { timeoutMs: 120_000 }, work);
};

const places = (register: string): DockerdPlaces => ({ socket: DEFAULT_SOCKET, log: join(register, 'dockerd.log') });

/** The engine that an evolve home started and that still runs. */
export const ownedEngine = (register: string): Owner | null => {
  const owner = readJsonOrNull<Owner>(ownerFile(register));
  return owner && isAlive(owner) ? owner : null;
};

/** Writes into the register that `home` uses the engine. This does no harm when the engine is not ours. */
export const addUser = (register: string, name: string, home: string): Promise<void> =>
  locked(register, async () => {
    writeJsonAtomically(join(usersOf(register), name), { home } satisfies User);
  });

/**
 * Starts the engine unless it answers already; a lock keeps two homes from starting two. Resolves to the running
 * engine, or to null if it is not ours.
 */
export const ensureOwnedEngine = (register: string, wanted?: DockerdPlaces): Promise<ProcessRef | null> =>
  locked(register, async () => {
    const at = wanted ?? readJsonOrNull<Owner>(ownerFile(register))?.places ?? places(register);
    if (await engineAnswers(`unix://${at.socket}`)) return ownedEngine(register);
    const left = ownedEngine(register);
    if (left) await stopDockerd(left, left.places);
    const daemon = await startDockerd(at);
    writeJsonAtomically(ownerFile(register), { ...daemon, places: at } satisfies Owner);
    return daemon;
  });

/** Adds an OCI runtime to the engine if it is ours; false where it is not. */
export const addRuntimeToOwned = (register: string, name: string, entry: OciRuntimeEntry): Promise<boolean> =>
  locked(register, async () => {
    const owner = ownedEngine(register);
    if (owner === null) return false;
    await addRuntime(owner, owner.places, name, entry);
    return true;
  });

/** A home whose directory is gone cannot give its reference back itself. */
const livingUsers = (register: string): readonly string[] =>
  readdirSync(usersOf(register)).filter((name) => {
    const user = readJsonOrNull<User>(join(usersOf(register), name));
    if (user && existsSync(user.home)) return true;
    rmSync(join(usersOf(register), name), { force: true });
    return false;
  });

export type Release = 'stopped' | 'still used' | 'not ours';

/** Gives a reference back. The last one to do so stops the engine if it is ours. */
export const releaseUser = (register: string, name: string): Promise<Release> =>
  locked(register, async () => {
    rmSync(join(usersOf(register), name), { force: true });
    const owner = ownedEngine(register);
    if (!owner) return 'not ours';
    if (livingUsers(register).length > 0) return 'still used';
    await stopDockerd(owner, owner.places);
    rmSync(ownerFile(register), { force: true });
    return 'stopped';
  });
