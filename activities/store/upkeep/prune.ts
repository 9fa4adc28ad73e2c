// The finds and removals of `evolve prune` in the database.
import { BSON } from 'mongodb';
import type { RunId } from '../../../evolution/types.ts';
import type { PortableCollection, Row } from '../documents/collection.ts';
import { nameWasTaken, removedRun } from '../documents/run-documents.ts';
import { supersededIn } from './prune-epochs.ts';
import { documentsOf, heldRuns, removeRun, removeSweeps } from './prune-runs.ts';
import { removeTexts, textsBefore, unreferencedTexts } from './prune-texts.ts';
import type { Collections } from '../documents/stored.ts';
import type { Texts } from '../content/texts.ts';

/** The bytes are estimated from some of the documents. */
export type Amount = { readonly documents: number; readonly bytes: number };

/** The bytes of texts before they are packed. Those in `later` were put too lately to go already. */
export type TextAmounts = { readonly now: Amount; readonly later: Amount };

export interface Pruning {
  /** The reason for which no run can have this name: one was removed that had it. Null where one can. */
  nameTaken(run: RunId): Promise<string | null>;
  /** The runs among these that may not be removed together with the others, each with the reason. */
  heldRuns(chosen: readonly RunId[]): Promise<ReadonlyMap<RunId, string>>;
  /** The size of a run, without texts, which several runs may share. */
  amountOfRun(run: RunId): Promise<Amount>;
  /**
   * Resolves to the reason for which the run stays; null once it is gone. May be repeated. `beside` takes what is
   * outside the database.
   */
  removeRun(run: RunId, chosen: readonly RunId[], beside?: () => void): Promise<string | null>;
  /** Removes the ended sweeps of which no run is left, and returns their names. */
  removeSweeps(): Promise<readonly string[]>;
  /** Answers of the run that a rewind or a resampling gave up, and what was made of them. */
  amountOfSuperseded(run: RunId): Promise<Amount>;
  removeSuperseded(run: RunId): Promise<Amount>;
  /** Texts that nothing refers to but these runs. */
  unreferencedTexts(without: readonly RunId[]): Promise<TextAmounts>;
  /** Removes the texts that nothing refers to and that nobody has put for hours. */
  removeTexts(): Promise<TextAmounts>;
}

export const pruningIn = (collections: Collections, texts: Texts, now: () => Date): Pruning => {
  const look = async (without: readonly RunId[]) => {
    const before = textsBefore(now());
    const unreferenced = await unreferencedTexts(collections, texts, { before, without: new Set(without) });
    return { unreferenced, before, amounts: { now: sumOf(unreferenced.now), later: sumOf(unreferenced.later) } };
  };
  return {
    async nameTaken(run) {
      const removed = await removedRun(collections, run);
      return removed === null ? null : nameWasTaken(run, removed);
    },
    heldRuns: (chosen) => heldRuns(collections, chosen),
    async amountOfRun(run) {
      let sum: Amount = { documents: 1, bytes: 0 };
      for await (const { rows, ids } of documentsOf(collections, run)) sum = added(sum, await amountOf(rows, ids));
      return sum;
    },
    removeRun: (run, chosen, beside = () => undefined) => removeRun(collections, run, { chosen, now: now(), beside }),
    removeSweeps: () => removeSweeps(collections),
    async amountOfSuperseded(run) {
      return amountsOf(collections, await supersededIn(collections, run));
    },
    async removeSuperseded(run) {
      const ids = await supersededIn(collections, run);
      const amount = await amountsOf(collections, ids);
      for (const [name, some] of Object.entries(ids)) await rowsIn(collections, name).deleteAll(some);
      return amount;
    },
    unreferencedTexts: async (without) => (await look(without)).amounts,
    async removeTexts() {
      const { unreferenced, before, amounts } = await look([]);
      await removeTexts(collections, [...unreferenced.now.keys()], before);
      return amounts;
    },
  };
};

const added = (a: Amount, b: Amount): Amount => ({
  documents: a.documents + b.documents,
  bytes: a.bytes + b.bytes,
});

const sumOf = (sizes: ReadonlyMap<string, number>): Amount => ({
  documents: sizes.size,
  bytes: [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0),
});

const rowsIn = (collections: Collections, name: string): PortableCollection<Row> =>
  collections[name as keyof Collections] as unknown as PortableCollection<Row>;

const amountsOf = async (
  collections: Collections,
  ids: Readonly<Record<string, readonly string[]>>,
): Promise<Amount> => {
  let sum: Amount = { documents: 0, bytes: 0 };
  for (const [name, some] of Object.entries(ids)) sum = added(sum, await amountOf(rowsIn(collections, name), some));
  return sum;
};

/** So many documents of a collection are measured. */
const MEASURED = 100;

const amountOf = async (rows: Pick<PortableCollection<Row>, 'getMany'>, ids: readonly string[]): Promise<Amount> => {
  const every = Math.max(1, Math.floor(ids.length / MEASURED));
  const sample = ids.filter((_, index) => index % every === 0).slice(0, MEASURED);
  const measured = await rows.getMany(sample);
  const size = measured.reduce((sum, document) => sum + BSON.calculateObjectSize(document), 0);
  return {
    documents: ids.length,
    bytes: measured.length === 0 ? 0 : Math.round((size / measured.length) * ids.length),
  };
};
