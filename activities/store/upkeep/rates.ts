// The worker processes that ask an endpoint, with their shares of its rate. The document is changed by guarded
// replacement alone, and holds no time: hosts whose clocks differ would read it differently.
import type { PortableCollection } from '../documents/collection.ts';
import type { RateDocument } from '../documents/installation-documents.ts';

export type RateVerbs = {
  readRate(endpoint: string): Promise<RateDocument | null>;
  /** Writes it where it is still the revision before, or where there is none yet. False where somebody was faster. */
  writeRate(document: RateDocument): Promise<boolean>;
};

/** Whoever is told to wait for longer does not wait (LONGEST_WAIT_MS). */
const MOST_PAUSE_MS = 600_000;
const within = (value: unknown, most: number, otherwise: number): number =>
  typeof value === 'number' && Number.isFinite(value) ? Math.min(most, Math.max(0, value)) : otherwise;
const listed = <T>(value: readonly T[]): readonly T[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];

/**
 * The document without numbers that are none, which would make the shares of all processes none. A share that cannot be
 * read counts as the whole.
 */
const readable = ({ holders, pauses, ...document }: RateDocument): RateDocument => ({
  ...document,
  holders: listed(holders)
    .filter(({ id, beat }) => typeof id === 'string' && Number.isFinite(beat))
    .map((holder) => ({ ...holder, share: within(holder.share, 1, 1) })),
  pauses: listed(pauses).map((pause) => ({ ...pause, ms: within(pause.ms, MOST_PAUSE_MS, 0) })),
});

export const ratesIn = (collection: PortableCollection<RateDocument>): RateVerbs => ({
  async readRate(endpoint) {
    const document = await collection.get(endpoint);
    return document === null ? null : readable(document);
  },
  async writeRate({ _id, ...document }) {
    if (document.revision === 1) return (await collection.insertAll([{ _id, ...document }])).length === 0;
    return collection.update(_id, { revision: document.revision - 1 }, { $set: document });
  },
});
