// The store over any collections of the portable kind: those of a database (mongo/connect-store.ts), or in tests Maps.
import { contentStore } from './content/content-store.ts';
import { gathered } from './content/gathered.ts';
import { textsIn } from './content/texts.ts';
import { configsIn } from './documents/run-documents.ts';
import { runStore } from './documents/run-store.ts';
import { withSchemas } from './documents/schema.ts';
import type { Collections } from './documents/stored.ts';
import { sweepStore } from './documents/sweeps.ts';
import { exchangeStore } from './exchange/exchange-store.ts';
import { learningStore } from './learning/learning-store.ts';
import { PopulationCache } from './population/population-cache.ts';
import { populationStore } from './population/population-store.ts';
import { stepStore } from './steps/step-store.ts';
import type { Store } from './store.ts';
import { upkeepStore } from './upkeep/upkeep-store.ts';

/** The size of a store's memory: documents of each kind, bytes of texts and embeddings, and populations of runs. */
export type Keeps = {
  readonly documents: number;
  /** Number of programs, which are shown again and again, from all over the population. */
  readonly programs: number;
  readonly textBytes: number;
  readonly embeddingBytes: number;
  readonly populations: number;
};
/** For the steps of runs. */
const MUCH: Keeps = { documents: 2048, programs: 8192, textBytes: 32e6, embeddingBytes: 32e6, populations: 8 };
/** For a process that only shows runs, seldom the same thing twice, and is to stay small. */
export const LITTLE: Keeps = { documents: 128, programs: 128, textBytes: 1e6, embeddingBytes: 1e6, populations: 2 };

/** `now` is the time of this host, in milliseconds since the epoch. */
export const storeOver = (
  inner: Collections,
  close: () => Promise<void> = async () => {},
  now: () => number = Date.now,
  keeps: Keeps = MUCH,
): Store => {
  const collections = gathered(withSchemas(inner));
  const texts = textsIn(collections.blobs, keeps.textBytes, now);
  const cache = new PopulationCache(collections, texts, keeps.populations);
  const readConfig = configsIn(collections);
  return {
    ...runStore(collections, readConfig),
    ...sweepStore(collections),
    ...contentStore(collections, texts, keeps.documents, keeps.embeddingBytes),
    ...stepStore(collections, texts, cache, readConfig),
    ...learningStore(collections, texts, readConfig, keeps.documents),
    ...populationStore(collections, texts, cache, keeps.programs),
    ...exchangeStore(collections, texts),
    ...upkeepStore(collections, texts, now),
    close,
  };
};
