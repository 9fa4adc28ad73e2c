// A database alone for the population bench: the server that `evolve up` would take, on a directory of its own, or a
// database of our own on MONGODB_URI.
import { MongoClient } from 'mongodb';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { prepareHome, resolveHome } from '../../../deploy/host/home.ts';
import { databaseDirectory } from '../../../deploy/parts/database/database-marker.ts';
import { databasePassword, localUri } from '../../../deploy/parts/database/database-password.ts';
import { ensureDatabase } from '../../../deploy/parts/database/database.ts';
import { findFreePort } from '../../../deploy/parts/free-port.ts';

export type BenchDatabase = {
  /** Product and version. */
  readonly product: string;
  readonly uri: string;
  readonly name: string;
  /** Of the server, where it is ours. */
  readonly pid: number | null;
  /** Leaves nothing behind but the directory it was given. */
  stop(): Promise<void>;
};

/**
 * `env` names the home and the parts as for `evolve up`. Without a Docker engine: of a mongod on PATH and the
 * embedded server the first.
 */
export const startDatabaseAlone = async (
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<BenchDatabase> => {
  const { MONGODB_URI: _uri, ...own } = env;
  const home = resolveHome(own);
  prepareHome(home);
  const database = await ensureDatabase(
    { home, say: (part, message) => say(`  ${part}: ${message}`), dockerHost: null },
    own,
  );
  const port = await findFreePort();
  if (database.kind === 'external' || port === null)
    throw new Error('expected a database server of our own and a free port for it');
  const password = databasePassword(home);
  const { file, args } = database.command(port);
  mkdirSync(databaseDirectory(home), { recursive: true });
  const child = spawn(file, args, { cwd: home.root, stdio: ['ignore', 'ignore', 2] });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', kill);
  return {
    product: `${database.kind} ${database.version}`,
    uri: localUri(port, password),
    name: 'bench',
    pid: child.pid ?? null,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      process.removeListener('exit', kill);
    },
  };
};

export const openDatabaseAt = async (uri: string): Promise<BenchDatabase> => {
  const name = `bench_${randomUUID()}`;
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 5_000 });
  try {
    const { version } = await client.db(name).command({ buildInfo: 1 });
    return {
      product: `MONGODB_URI, MongoDB ${String(version)}`,
      uri,
      name,
      pid: null,
      async stop() {
        await client.db(name).dropDatabase();
        await client.close();
      },
    };
  } catch (error) {
    await client.close();
    throw error;
  }
};
