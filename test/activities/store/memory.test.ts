// The contract of the store against its collections in memory.
import { memoryCollections } from '../../doubles/memory-store.ts';
import { storeContract } from './contract.ts';

storeContract('memory', async () => ({ collections: memoryCollections(), close: async () => {} }));
