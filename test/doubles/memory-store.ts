// The store in memory, for unit tests of whatever uses a store: the same code over Maps.
import { storeOver } from '../../activities/store/open-store.ts';
import type { Store } from '../../activities/store/store.ts';
import { COLLECTIONS, type Collections } from '../../activities/store/documents/stored.ts';
import { MemoryCollection } from './memory-collection.ts';

export const memoryCollections = (): Collections =>
  Object.fromEntries(COLLECTIONS.map((name) => [name, new MemoryCollection(name)])) as unknown as Collections;

export const memoryStore = (): Store => storeOver(memoryCollections());
