// The contract of the store against a real server of MongoDB's protocol.
import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectCollections } from '../../../activities/store/mongo/connect-store.ts';
import { storeContract } from './contract.ts';
import { startDatabase, type TestDatabase } from './database.ts';

let server: TestDatabase;
beforeAll(async () => {
  server = await startDatabase();
});
afterAll(() => server.stop());

const freshDatabase = (): string => `test-${randomUUID()}`;

storeContract('mongo', () => connectCollections({ uri: server.uri, database: freshDatabase(), log: () => {} }));

test('a server that the workers have tested is only read from', async () => {
  const client = new MongoClient(server.uri);
  try {
    const database = freshDatabase();
    const made = async (tested: boolean): Promise<readonly string[]> => {
      const { collections, close } = await connectCollections({ uri: server.uri, database, log: () => {}, tested });
      expect(await collections.runs.find({ run: { $gte: '' } })).toEqual([]);
      await close();
      return (await client.db(database).listCollections().toArray()).map(({ name }) => name);
    };
    expect(await made(true)).toEqual([]);
    expect(await made(false)).toContain('programs');
  } finally {
    await client.close();
  }
});
