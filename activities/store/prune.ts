// What `evolve prune` finds and removes in the database, as one part of the store.
import { BSON } from 'mongodb';
import type { BlobRef, RunId } from '../../evolution/types.ts';
import type { PortableCollection, Row } from './collection.ts';
import { supersededIn } from './prune-epochs.ts';
import { documentsOf, heldRuns, removeRun, removeSweeps } from './prune-runs.ts';
import { removeTexts, textsBefore, unreferencedTexts } from './prune-texts.ts';
import type { Collections } from './stored.ts';
import type { Texts } from './texts.ts';

/** Bytes are about what the documents take, from some that were looked at. */
export type Amount = { readonly documents: number; readonly bytes: number };

export interface Pruning {
  /** Why each of these runs may not be removed together with the others; those that may are left out. */
  heldRuns(chosen: readonly RunId[]): Promise<ReadonlyMap<RunId, string>>;
  /** What a run takes, without texts, which several runs may share. */
  amountOfRun(run: RunId): Promise<Amount>;
  /** Why the run stays after all; null once it is gone. May be repeated. */
  removeRun(run: RunId, chosen: readonly RunId[]): Promise<string | null>;
  /** Removes the ended sweeps of which no run is left, and returns their names. */
  removeSweeps(): Promise<readonly string[]>;
  /** Answers of the run that a rewind or a resampling gave up, and what was made of them. */
  amountOfSuperseded(run: RunId): Promise<Amount>;
  removeSuperseded(run: RunId): Promise<Amount>;
  /** Texts that nothing refers to, and that nobody has put for hours. Bytes are those of the texts, not packed. */
  unreferencedTexts(): Promise<Amount>;
  removeTexts(): Promise<Amount>;
}

export const pruningIn = (collections: Collections, texts: Texts, now: () => Date = () => new Date()): Pruning => {
  const orphans = async (): Promise<{ readonly found: ReadonlyMap<BlobRef, number>; readonly before: Date }> => {
    const before = textsBefore(now());
    return { found: await unreferencedTexts(collections, texts, before), before };
  };
  return {
    heldRuns: (chosen) => heldRuns(collections, chosen),
    amountOfRun: async (run) => amountOf(collections, await documentsOf(collections, run)),
    removeRun: (run, chosen) => removeRun(collections, run, chosen, now()),
    removeSweeps: () => removeSweeps(collections),
    amountOfSuperseded: async (run) => amountOf(collections, await supersededIn(collections, run)),
    async removeSuperseded(run) {
      const ids = await supersededIn(collections, run);
      const amount = await amountOf(collections, ids);
      for (const [name, some] of Object.entries(ids)) await rowsIn(collections, name).deleteAll(some);
      return amount;
    },
    unreferencedTexts: async () => sumOf((await orphans()).found),
    async removeTexts() {
      const { found, before } = await orphans();
      await removeTexts(collections, [...found.keys()], before);
      return sumOf(found);
    },
  };
};

const sumOf = (sizes: ReadonlyMap<string, number>): Amount => ({
  documents: sizes.size,
  bytes: [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0),
});

const rowsIn = (collections: Collections, name: string): PortableCollection<Row> =>
  collections[name as keyof Collections] as unknown as PortableCollection<Row>;

/** So many documents of a collection are measured. */
const MEASURED = 100;

const amountOf = async (
  collections: Collections,
  ids: Readonly<Record<string, readonly string[]>>,
): Promise<Amount> => {
  let [documents, bytes] = [0, 0];
  for (const [name, some] of Object.entries(ids)) {
    const every = Math.max(1, Math.floor(some.length / MEASURED));
    const sample = some.filter((_, index) => index % every === 0).slice(0, MEASURED);
    const measured = await rowsIn(collections, name).getMany(sample);
    const size = measured.reduce((sum, document) => sum + BSON.calculateObjectSize(document), 0);
    documents += some.length;
    bytes += measured.length === 0 ? 0 : Math.round((size / measured.length) * some.length);
  }
  return { documents, bytes };
};
