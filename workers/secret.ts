// The data directory's secret, from which evaluators draw hidden data (activities/sandbox/hidden-seed.ts): made once, readable by its owner.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The same for every process of the data directory, and after a restart: an evaluation that is repeated draws the same data. */
export const readSecret = (home: string): string => {
  const file = join(home, 'secret');
  try {
    writeFileSync(file, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const secret = readFileSync(file, 'utf8').trim();
  if (!/^[0-9a-f]{64}$/.test(secret)) throw new Error(`${file}: expected 64 hexadecimal digits: restore it, or remove it to have another made (hidden data of function tasks then differ)`);
  return secret;
};
