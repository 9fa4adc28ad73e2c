// The contract of the store against a real server of MongoDB's protocol.
import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
import { connectCollections } from '../../../activities/store/mongo/connect-store.ts';
import { storeContract } from './contract.ts';
import { startDatabase } from './database.ts';

storeContract('mongo', async () => {
  const database = await startDatabase();
  const { collections, close } = await connectCollections({
    uri: database.uri,
    database: `test-${randomUUID()}`,
    log: () => {},
  });
  return {
    collections,
    close: async () => {
      await close();
      await database.stop();
    },
  };
});

test('a server that the workers have tested is only read from', async () => {
  const server = await startDatabase();
  const client = new MongoClient(server.uri);
  try {
    const database = `test-${randomUUID()}`;
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
    await server.stop();
  }
});
