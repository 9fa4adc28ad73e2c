// The user of a mongod that asks for a password. A new mongod lets whoever connects from its own machine make the first
// user and do nothing else, so that we make ours as soon as it listens. SecantusDB has no such rule (secantusd.py).
import { SetupError } from '../../host/run-command.ts';
import { DATABASE_USER, localUri } from './database-password.ts';

const PATIENCE_MS = 30_000;

/** The codes of MongoDB for a wrong user or password, and for a command that needs a user. */
const AUTHENTICATION_FAILED = 18;
const UNAUTHORIZED = 13;
const codeOf = (error: unknown): number | null => (error as { code?: number }).code ?? null;

const ask = async (
  uri: string,
  command: { readonly [name: string]: unknown },
  patienceMs = PATIENCE_MS,
): Promise<void> => {
  // Is loaded late, because most commands need no database.
  const { MongoClient } = await import('mongodb');
  const client = new MongoClient(uri, {
    serverSelectionTimeoutMS: patienceMs,
    connectTimeoutMS: patienceMs,
    socketTimeoutMS: patienceMs,
  });
  try {
    await client.db('admin').command({ ...command });
  } finally {
    await client.close();
  }
};

const withoutUser = (port: number): string => `mongodb://127.0.0.1:${port}/?directConnection=true`;

/** True where the command was done, false where the server refused it with this code. Throws other errors. */
const unless = (code: number, asked: Promise<void>): Promise<boolean> =>
  asked.then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === code) return false;
      throw error;
    },
  );

/** Makes our user where the server has none. Throws SetupError where it has others only. */
export const ensureMongoUser = async (port: number, password: string): Promise<void> => {
  if (await unless(AUTHENTICATION_FAILED, ask(localUri(port, password), { ping: 1 }))) return;
  const user = { createUser: DATABASE_USER, pwd: password, roles: [{ role: 'root', db: 'admin' }] };
  if (!(await unless(UNAUTHORIZED, ask(withoutUser(port), user))))
    throw new SetupError(
      'the database of this home has users already and does not know the password in the file database-password: restore that file',
    );
};

/** True if a local server gives an unknown client more than a greeting. Rejects where it does not answer in time. */
export const answersWithoutPassword = (port: number, patienceMs?: number): Promise<boolean> =>
  unless(UNAUTHORIZED, ask(withoutUser(port), { listDatabases: 1 }, patienceMs));
