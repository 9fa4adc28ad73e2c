// The secret from which evaluators draw hidden data. It is the same on all hosts of an installation and after a restart,
// so that an evaluation that is repeated draws the same data. It is kept in the store; the file of a data directory of
// an earlier version is brought there.
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '../activities/store/store.ts';

const FILE = 'secret';
const TRIAL_FILE = 'trial-secret';

/** Throws where this process must not draw. */
export const drawSecret = async (
  store: Pick<Store, 'drawSecret' | 'readDrawSecret'>,
  home: string,
): Promise<string> => {
  const file = join(home, FILE);
  const ours = existsSync(file) ? read(file) : null;
  const kept = (await store.readDrawSecret()) ?? (await store.drawSecret(ours ?? made()));
  if (ours === null || ours === kept) return kept;
  throw new Error(
    `${file}: expected the secret for hidden data that the database keeps, got another one; a run must go on with the one from which its data were drawn. ` +
      'Where the runs of this data directory are in another database, name that one (MONGODB_URI). Where no open run of this database was evaluated here, move the file away: the secret of the database then holds',
  );
};

/** The secret of trials, which need no database: that of the data directory, else one for trials alone. */
export const trialSecret = (home: string): string => {
  const file = join(home, FILE);
  return existsSync(file) ? read(file) : readSecret(join(home, TRIAL_FILE));
};

const made = (): string => randomBytes(32).toString('hex');

/** Is made once, and is readable by its owner only. */
export const readSecret = (file: string): string => {
  // Linked when it is complete: of processes that start at the same moment, one makes it and the others read all of it.
  const part = `${file}.${randomUUID()}.part`;
  writeFileSync(part, made(), { mode: 0o600 });
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
