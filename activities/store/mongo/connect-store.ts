// Connects to the database of MONGODB_URI, checks that it can be relied on, and gives the store over it. Called by workers and the CLI.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient, type Db } from 'mongodb';
import { storeOver } from '../open-store.ts';
import type { Store } from '../store.ts';
import { COLLECTIONS, SCHEMA_VERSION, type Collections, type StoredRun } from '../stored.ts';
import { DriverCollection } from './driver-collection.ts';
import { createIndexes } from './indexes.ts';
import { selfTest, type SelfTestRow } from './self-test.ts';

export type ConnectOptions = {
  /** Write concern, retryWrites and compressors come from here only. */
  readonly uri: string;
  /** Default: `durable_evolve`. All runs share it. */
  readonly database?: string | undefined;
  readonly log: (line: string) => void;
  /** Default 30 s: how long to wait for a server that is still starting. */
  readonly timeoutMs?: number;
  /** Default 60 s: a server that says nothing for so long is taken for gone, so that whoever waits tries again or parks. */
  readonly socketTimeoutMs?: number;
};

export const connectStore = async (options: ConnectOptions): Promise<Store> => {
  const { collections, close } = await connectCollections(options);
  return storeOver(collections, close);
};

/** The store's collections on their own, for tests that stand between store and driver. */
export const connectCollections = async (
  { uri, database = 'durable_evolve', log, timeoutMs = 30_000, socketTimeoutMs = 60_000 }: ConnectOptions,
): Promise<{ readonly collections: Collections; readonly close: () => Promise<void> }> => {
  const client = new MongoClient(uri, { ignoreUndefined: true, promoteBuffers: true, serverSelectionTimeoutMS: 5000, maxPoolSize: 20, socketTimeoutMS: socketTimeoutMs });
  try {
    const db = client.db(database);
    await pingUntil(db, timeoutMs);
    log(await describeServer(db));
    await createIndexes(db);
    const collections = Object.fromEntries(COLLECTIONS.map((name) => [name, new DriverCollection(db.collection(name))])) as unknown as Collections;
    await checkSchema(collections.runs);
    await selfTest(new DriverCollection<SelfTestRow>(db.collection('selftest')), randomUUID());
    return { collections, close: () => client.close() };
  } catch (error) {
    await client.close();
    throw error;
  }
};

const pingUntil = async (db: Db, timeoutMs: number): Promise<void> => {
  const deadline = performance.now() + timeoutMs;
  for (let delayMs = 100; ; delayMs = Math.min(2 * delayMs, 2000)) {
    try {
      await db.command({ ping: 1 });
      return;
    } catch (error) {
      if (performance.now() + delayMs > deadline) {
        throw new Error(`expected a database at MONGODB_URI within ${timeoutMs / 1000} s, got: ${String(error)}. evolve up starts the project's own`, { cause: error });
      }
      await sleep(delayMs);
    }
  }
};

const describeServer = async (db: Db): Promise<string> => {
  const [build, hello] = [await db.command({ buildInfo: 1 }), await db.command({ hello: 1 })];
  const topology = hello.setName !== undefined ? `replica set ${String(hello.setName)}` : hello.msg === 'isdbgrid' ? 'sharded' : 'standalone';
  return `database: MongoDB protocol ${String(build.version)}, ${topology}`;
};

/** Runs of another version are refused, not guessed at. */
export const checkSchema = async (runs: Pick<Collections['runs'], 'find'>): Promise<void> => {
  const others: readonly Pick<StoredRun, '_id' | 'schemaVersion'>[] =
    await runs.find({ run: { $gte: '' }, schemaVersion: { $ne: SCHEMA_VERSION } }, ['schemaVersion']);
  const [run] = others;
  if (run === undefined) return;
  const [who, wayOut] = run.schemaVersion > SCHEMA_VERSION ? ['a newer', 'update this one, or begin with'] : ['an older', 'finish or export its runs with that one, and begin here with'];
  throw new Error(`expected runs of schema version ${SCHEMA_VERSION}, but run '${run._id}' has ${run.schemaVersion}: ${who} version of this project wrote to the database; ${wayOut} an empty data directory (EVOLVE_HOME) or another database (MONGODB_URI)`);
};
