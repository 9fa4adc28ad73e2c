// A database for store tests: MONGODB_URI when it is set, else a SecantusDB of its own on a free port and a temporary
// directory.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { MongoClient } from 'mongodb';
import { findFreePort } from '../../../deploy/parts/free-port.ts';

export type TestDatabase = { readonly uri: string; readonly pid: number | null; stop(): Promise<void> };

/** The flags that a local database is started with. */
const flags = (port: number, directory: string): string[] => [
  '--host',
  '127.0.0.1',
  '--port',
  String(port),
  '--storage-path',
  directory,
  '--sync-on-commit',
  '--cache-size',
  '512M',
  '--oplog-max-entries',
  '2000',
  '--oplog-retention-seconds',
  '300',
  '--log-level',
  'WARNING',
];

export const startDatabase = async (): Promise<TestDatabase> => {
  const given = process.env.MONGODB_URI;
  if (given !== undefined && given !== '') return { uri: given, pid: null, stop: async () => {} };
  const parts = process.env.EVOLVE_PARTS ?? resolve(import.meta.dirname, '../../../.evolve');
  const program = join(parts, 'venv/bin/secantusd-py');
  if (!existsSync(program)) {
    throw new Error(
      `expected a database for the store's tests: MONGODB_URI, or ${program} (EVOLVE_PARTS). npm test sets it up`,
    );
  }
  const directory = await mkdtemp(join(tmpdir(), 'evolve-store-'));
  const port = (await findFreePort())!;
  const child = spawn(program, flags(port, join(directory, 'mongo')), {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', kill);
  const uri = `mongodb://127.0.0.1:${port}/?retryWrites=false&directConnection=true`;
  // On a busy machine it takes longer to come up than those who use it wait for a server.
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 300_000 });
  await client.db('admin').command({ ping: 1 });
  await client.close();
  return {
    uri,
    pid: child.pid ?? null,
    async stop() {
      await stopChild(child);
      process.removeListener('exit', kill);
      await rm(directory, { recursive: true, force: true });
    },
  };
};

const stopChild = (child: ChildProcess): Promise<void> =>
  new Promise((done) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      done();
      return;
    }
    child.once('exit', () => done());
    child.kill('SIGTERM');
  });
