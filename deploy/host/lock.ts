// Lock files that survive the death of their holder, since they name a process by pid and start time. The set-up and
// the supervisor hold them.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isAlive, type ProcessRef, self } from './process-identity.ts';
import { SetupError } from './run-command.ts';

const readHolder = (file: string): ProcessRef | null => {
  try {
    const { pid, identity } = JSON.parse(readFileSync(file, 'utf8')) as Partial<ProcessRef>;
    return typeof pid === 'number' && typeof identity === 'string' ? { pid, identity } : null;
  } catch {
    return null;
  }
};

export const lockHolder = (file: string): ProcessRef | null => {
  const holder = readHolder(file);
  return holder && isAlive(holder) ? holder : null;
};

const exists = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EEXIST';

/** Creates the file with its content in one step. Returns false when the file exists already. */
const create = (file: string, holder: ProcessRef): boolean => {
  const part = `${file}.${process.pid}.new`;
  writeFileSync(part, JSON.stringify(holder), { mode: 0o600 });
  try {
    linkSync(part, file);
    return true;
  } catch (error) {
    if (exists(error)) return false;
    throw error;
  } finally {
    rmSync(part, { force: true });
  }
};

/** Moves a dead holder's file away. If somebody took the lock in between, theirs is put back. */
const removeStale = (file: string): void => {
  const aside = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  if (lockHolder(aside))
    try {
      linkSync(aside, file);
    } catch {
      /* taken again already */
    }
  rmSync(aside, { force: true });
};

/** True when this process now holds the lock. */
export const tryLock = (file: string): boolean => {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (create(file, self())) return true;
    if (lockHolder(file)) return false;
    removeStale(file);
  }
  return false;
};

export const unlock = (file: string): void => {
  if (readHolder(file)?.pid === process.pid) rmSync(file, { force: true });
};

/** Runs `work` while no other process holds the lock. `waiting` is told once when another process has it. */
export const withLock = async <T>(
  file: string,
  options: { timeoutMs: number; waiting?: (holder: number) => void },
  work: () => Promise<T>,
): Promise<T> => {
  const deadline = performance.now() + options.timeoutMs;
  let isAnnounced = false;
  while (!tryLock(file)) {
    const holder = lockHolder(file);
    if (!isAnnounced && holder) {
      options.waiting?.(holder.pid);
      isAnnounced = true;
    }
    if (performance.now() > deadline)
      throw new SetupError(
        `process ${holder?.pid ?? 'unknown'} has held ${file} for ${Math.round(options.timeoutMs / 1000)} s: end that process, or remove the file if the process has nothing to do with evolve`,
      );
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  try {
    return await work();
  } finally {
    unlock(file);
  }
};
