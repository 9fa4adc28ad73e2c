// The contract of the store against a real server of MongoDB's protocol.
import { randomUUID } from 'node:crypto';
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
