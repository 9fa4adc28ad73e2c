// Connects to the database of MONGODB_URI, checks that it can be relied on, and gives the store over it.
import { type Db, MongoClient, type MongoClientOptions } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PortableCollection } from '../documents/collection.ts';
import { type Keeps, storeOver } from '../open-store.ts';
import { checkSchema } from '../documents/schema.ts';
import type { Store } from '../store.ts';
import { COLLECTIONS, type Collections } from '../documents/stored.ts';
import { DriverCollection } from './driver-collection.ts';

/**
 * The only secondary index is for `knownHashes`, which is asked for each response. On the embedded server an index costs 0.13 to 0.25 ms of CPU per inserted document, more
 * than the document itself, so there is one only for a query that every step makes. Listings and loads derive ids from
 * step markers; exports and lists of runs pay with a scan.
 */
const createIndexes = (db: Db): Promise<unknown> => db.collection('programs').createIndex({ run: 1, knownHash: 1 });

export type SelfTestRow = { readonly _id: string; readonly fit: number; readonly n: number };

const RACERS = 8;
const ROUNDS = 4;

/**
 * The self-test at start checks the three laws of exactly-once in about 200 ms, against a server that answers like
 * MongoDB but updates without atomicity. `key` is fresh, so that two starts do not disturb each other.
 */
export const selfTest = async (collection: PortableCollection<SelfTestRow>, key: string): Promise<void> => {
  const [inserted, cell, raced] = [`${key}:insert`, `${key}:cell`, `${key}:race`] as const;
  try {
    await insertOrGet(collection, inserted);
    await losingReplacement(collection, cell);
    await compareAndSetRace(collection, raced);
  } finally {
    await collection.deleteAll([inserted, cell, raced]);
  }
};

const insertOrGet = async (collection: PortableCollection<SelfTestRow>, _id: string): Promise<void> => {
  const first = await collection.insertAll([{ _id, fit: 1, n: 1 }]);
  const second = await collection.insertAll([{ _id, fit: 2, n: 2 }]);
  const stored = await collection.get(_id);
  if (first.length !== 0 || second.length !== 1 || stored?.n !== 1)
    refuse('a second insert under one _id must fail with error 11000 and leave the first document');
};

const losingReplacement = async (collection: PortableCollection<SelfTestRow>, _id: string): Promise<void> => {
  const better = (fit: number) => collection.upsert(_id, { fit: { $lt: fit } }, { fit, n: 0 });
  const answers = [await better(2), await better(1), await better(3)];
  const stored = await collection.get(_id);
  if (String(answers) !== 'true,false,true' || stored?.fit !== 3)
    refuse('a guarded upsert must keep a better document and answer error 11000');
};

const compareAndSetRace = async (collection: PortableCollection<SelfTestRow>, _id: string): Promise<void> => {
  await collection.insertAll([{ _id, fit: 0, n: 0 }]);
  for (let n = 0; n < ROUNDS; n++) {
    const racers = Array.from({ length: RACERS }, () => collection.update(_id, { n }, { $set: { n: n + 1 } }));
    const winners = (await Promise.all(racers)).filter((won) => won).length;
    if (winners !== 1) refuse(`of ${RACERS} concurrent guarded updates exactly one must win, but ${winners} did`);
  }
};

const refuse = (law: string): never => {
  throw new Error(
    `this database server is not safe for a run: ${law}. Use MongoDB 7 or newer (MONGODB_URI) or the server that npm start sets up`,
  );
};

export type ConnectOptions = {
  /** Write concern, retryWrites and compressors come only from here. */
  readonly uri: string;
  /** The default is `durable_evolve`. All runs share it. */
  readonly database?: string | undefined;
  readonly log: (line: string) => void;
  /** The longest wait for a server that is still starting. The default is 2 min. */
  readonly timeoutMs?: number;
  /** The workers have tested this server and made its indexes, so that only schemas are checked. */
  readonly tested?: boolean;
  /** A server that is silent for so long (60 s by default) counts as gone: the caller tries again or parks. */
  readonly socketTimeoutMs?: number;
  /** The memory of the store for what it has read. */
  readonly keeps?: Keeps | undefined;
};

/**
 * Writes to a replica set count when most of its members have them, so that a failover loses no commit. The address
 * names a set by name, members or DNS record (`mongodb+srv`); its own `w` is obeyed.
 */
export const majorityOf = (uri: string): Pick<MongoClientOptions, 'writeConcern'> => {
  const [address = '', query = ''] = uri.split('?');
  const named = new Set([...new URLSearchParams(query).keys()].map((key) => key.toLowerCase()));
  const members = address.split('/')[2]?.split('@').at(-1) ?? '';
  const several = named.has('replicaset') || members.includes(',') || address.startsWith('mongodb+srv:');
  return several && !named.has('w') ? { writeConcern: { w: 'majority' } } : {};
};

export const connectStore = async (options: ConnectOptions): Promise<Store> => {
  const { collections, close } = await connectCollections(options);
  return storeOver(collections, close, Date.now, options.keeps);
};

/** The store's collections alone, so that something can be put between store and driver. */
export const connectCollections = async ({
  uri,
  database = 'durable_evolve',
  log,
  timeoutMs = 120_000,
  tested = false,
  socketTimeoutMs = 60_000,
}: ConnectOptions): Promise<{ readonly collections: Collections; readonly close: () => Promise<void> }> => {
  const client = new MongoClient(uri, {
    ignoreUndefined: true,
    promoteBuffers: true,
    serverSelectionTimeoutMS: Math.min(timeoutMs, 15_000),
    maxPoolSize: 20,
    socketTimeoutMS: socketTimeoutMs,
    ...majorityOf(uri),
  });
  // The driver looks ten times a second whether it has the least number of connections, which is none here: 0.2 % of a
  // core for each process that waits. It takes this option, but not from who makes a client.
  Object.assign(client.options, { minPoolSizeCheckFrequencyMS: 10_000 });
  try {
    const db = client.db(database);
    await pingUntil(db, timeoutMs);
    if (!tested) {
      log(await describeServer(db));
      await createIndexes(db);
    }
    const collections = Object.fromEntries(
      COLLECTIONS.map((name) => [name, new DriverCollection(db.collection(name))]),
    ) as unknown as Collections;
    await checkSchema(collections, !tested);
    if (!tested) await selfTest(new DriverCollection<SelfTestRow>(db.collection('selftest')), randomUUID());
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
        throw new Error(
          `expected a database at MONGODB_URI within ${timeoutMs / 1000} s, got: ${String(error)}. evolve up starts the project's own`,
          { cause: error },
        );
      }
      await sleep(delayMs);
    }
  }
};

const describeServer = async (db: Db): Promise<string> => {
  const [build, hello] = [await db.command({ buildInfo: 1 }), await db.command({ hello: 1 })];
  const topology =
    hello.setName !== undefined
      ? `replica set ${String(hello.setName)}`
      : hello.msg === 'isdbgrid'
        ? 'sharded'
        : 'standalone';
  return `database: MongoDB protocol ${String(build.version)}, ${topology}`;
};
