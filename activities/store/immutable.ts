// Documents that never change once stored (prompts, rollouts, deltas, evaluations): insert-or-get, and a bounded memory of what
// this process wrote or read, so that a commit does not read its step's documents again. Called by open-store.ts.
import type { PortableCollection, Row } from './collection.ts';
import { getByIds, insertOrGet } from './insert-or-get.ts';

/** Two steps of 512 and what they are looked up by. */
const MAX_DOCUMENTS = 2048;

export type Immutable<T extends Row> = {
  /** The stored documents, in the order asked. */
  put(documents: readonly T[]): Promise<readonly T[]>;
  get(ids: readonly string[]): Promise<ReadonlyMap<string, T>>;
};

export const immutableIn = <T extends Row>(collection: PortableCollection<T>): Immutable<T> => {
  const kept = new Map<string, T>();
  const keep = (document: T): void => {
    kept.delete(document._id);
    kept.set(document._id, document);
    if (kept.size > MAX_DOCUMENTS) kept.delete(kept.keys().next().value!);
  };
  const known = (ids: readonly string[]): Map<string, T> => new Map(ids.flatMap((id) => {
    const document = kept.get(id);
    return document === undefined ? [] : [[id, document] as const];
  }));
  return {
    async put(documents) {
      const found = known(documents.map(({ _id }) => _id));
      for (const document of await insertOrGet(collection, documents.filter(({ _id }) => !found.has(_id)))) {
        found.set(document._id, document);
        keep(document);
      }
      return documents.map((document) => found.get(document._id) ?? document);
    },
    async get(ids) {
      const found = known(ids);
      for (const document of (await getByIds(collection, ids.filter((id) => !found.has(id)))).values()) {
        found.set(document._id, document);
        keep(document);
      }
      return found;
    },
  };
};
