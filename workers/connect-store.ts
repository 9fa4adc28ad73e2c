// The store of a worker process, waiting up to a minute for a database that is still starting.
import { connectStore } from '../activities/store/mongo/connect-store.ts';
import type { Store } from '../activities/store/store.ts';

export const connectStoreFor = async (uri: string): Promise<Store> => {
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      return await connectStore({ uri, log: (line) => console.log(line) });
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
};
