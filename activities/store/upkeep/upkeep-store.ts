// The part of the store that belongs to the installation and to those who look after it.
import type { Texts } from '../content/texts.ts';
import type { Collections } from '../documents/stored.ts';
import { installationStore, type InstallationStore } from './installation.ts';
import { noticesStore, type NoticesStore } from './notices.ts';
import { type Pruning, pruningIn } from './prune.ts';
import { ratesIn, type RateVerbs } from './rates.ts';
import { trackingStore, type TrackingStore } from './tracking.ts';

export interface UpkeepStore extends InstallationStore, RateVerbs, NoticesStore, TrackingStore {
  /** The finds and removals of `evolve prune`. */
  readonly pruning: Pruning;
}

export const upkeepStore = (collections: Collections, texts: Texts, now: () => number): UpkeepStore => ({
  ...installationStore(collections),
  ...ratesIn(collections.rates),
  ...noticesStore(collections),
  ...trackingStore(collections),
  pruning: pruningIn(collections, texts, () => new Date(now())),
});
