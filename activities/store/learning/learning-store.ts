// The part of the store that keeps policies, their updates, and the tokens that these are trained on.
import type { Texts } from '../content/texts.ts';
import type { ReadConfig } from '../documents/run-documents.ts';
import type { Collections } from '../documents/stored.ts';
import { policyStore, type PolicyStore } from './policies.ts';
import { sampleStore, type SampleStore } from './samples.ts';
import { updateStore, type UpdateStore } from './updates.ts';

export interface LearningStore extends SampleStore, UpdateStore, PolicyStore {}

export const learningStore = (
  collections: Collections,
  texts: Texts,
  readConfig: ReadConfig,
  remembered: number,
): LearningStore => ({
  ...sampleStore(collections, texts, readConfig),
  ...updateStore(collections),
  ...policyStore(collections, remembered),
});
