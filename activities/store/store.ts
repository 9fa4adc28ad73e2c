// The store as activities and the command line see it: operations of the domain, each safe to repeat. It is the sum of
// the interfaces that stand beside their code. It is implemented on a small part of MongoDB (mongo/), and in tests in
// memory; one contract suite runs against both.
import type { ContentStore } from './content/content-store.ts';
import type { RunStore } from './documents/run-store.ts';
import type { SweepStore } from './documents/sweeps.ts';
import type { ExchangeStore } from './exchange/exchange-store.ts';
import type { LearningStore } from './learning/learning-store.ts';
import type { PopulationStore } from './population/population-store.ts';
import type { StepStore } from './steps/step-store.ts';
import type { UpkeepStore } from './upkeep/upkeep-store.ts';

export interface Store
  extends RunStore, SweepStore, ContentStore, StepStore, LearningStore, PopulationStore, ExchangeStore, UpkeepStore {
  close(): Promise<void>;
}
