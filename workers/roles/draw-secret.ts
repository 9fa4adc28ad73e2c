// The secret from which evaluators draw hidden data. The store keeps it, so it is the same on all hosts of an
// installation and after a restart, and an evaluation that is repeated draws the same data.
import { randomBytes, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '../../activities/store/store.ts';

const TRIAL_FILE = 'trial-secret';

export const drawSecret = async (store: Pick<Store, 'drawSecret' | 'readDrawSecret'>): Promise<string> =>
  (await store.readDrawSecret()) ?? store.drawSecret(newSecret());

/** The secret of trials, which need no database. */
export const trialSecret = (home: string): string => readSecret(join(home, TRIAL_FILE));

const newSecret = (): string => randomBytes(32).toString('hex');

/** Is newSecret once, and is readable by its owner only. */
export const readSecret = (file: string): string => {
  // Linked when it is complete: of processes that start at the same moment, one makes it and the others read all of it.
  const part = `${file}.${randomUUID()}.part`;
  writeFileSync(part, newSecret(), { mode: 0o600 });
  try {
    linkSync(part, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(part, { force: true });
  }
  return read(file);
};

const read = (file: string): string => {
  const secret = readFileSync(file, 'utf8').trim();
  if (!/^[0-9a-f]{64}$/.test(secret))
    throw new Error(
      `${file}: expected 64 hexadecimal digits: restore the file, or remove it (function tasks may then draw other hidden data)`,
    );
  return secret;
};
