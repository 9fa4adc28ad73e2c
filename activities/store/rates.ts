// Who asks which endpoint, and with which share of its rate. The document is changed by guarded replacement alone, and
// holds no time: hosts whose clocks differ would read it differently.
import type { PortableCollection } from './collection.ts';

/** A worker process. `beat` grows while it lives; `share` is the part of the endpoint's rate that it may use. */
export type RateHolder = { readonly id: string; readonly beat: number; readonly share: number };

/** The endpoint asked to be left alone for so long. `by` is the holder that was told. */
export type RatePause = { readonly id: string; readonly by: string; readonly ms: number };

/** `_id` is the address of the endpoint. */
export type RateDocument = {
  readonly _id: string;
  readonly revision: number;
  readonly holders: readonly RateHolder[];
  readonly pauses: readonly RatePause[];
};

export type RateVerbs = {
  readRate(endpoint: string): Promise<RateDocument | null>;
  /** Writes it where it is still the revision before, or where there is none yet. False where somebody was faster. */
  writeRate(document: RateDocument): Promise<boolean>;
};

export const ratesIn = (collection: PortableCollection<RateDocument>): RateVerbs => ({
  readRate: (endpoint) => collection.get(endpoint),
  async writeRate({ _id, ...document }) {
    if (document.revision === 1) return (await collection.insertAll([{ _id, ...document }])).length === 0;
    return collection.update(_id, { revision: document.revision - 1 }, { $set: document });
  },
});
