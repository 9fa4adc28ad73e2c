// The password of the database that `evolve up` starts: made once for each home, and kept in a file that its owner
// alone can read. Without it every user of the machine could read and change runs.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../../host/home.ts';
import { SetupError } from '../../host/run-command.ts';

/** The only user of the database. */
export const DATABASE_USER = 'evolve';

export const databasePasswordFile = (home: Home): string => join(home.root, 'database-password');

/** Reads the password, and makes one of 256 random bits where there is none. Throws where the file holds none. */
export const databasePassword = (home: Home): string => {
  const file = databasePasswordFile(home);
  try {
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const password = readFileSync(file, 'utf8').trim();
  if (!/^[0-9a-f]{64}$/.test(password))
    throw new SetupError(
      `${file}: expected 64 hexadecimal digits: restore the file, or, with SecantusDB, remove it to have another password made`,
    );
  return password;
};

/** Address of a local server. Retries of the driver are off, since our writes bring their own. */
export const localUri = (port: number, password: string): string =>
  `mongodb://${DATABASE_USER}:${password}@127.0.0.1:${port}/?retryWrites=false&directConnection=true&authSource=admin`;
