// Stored documents that never change, with a memory of those that were put or read last, so that a commit does not read
// its step's documents again.
import type { LRUCache } from 'lru-cache';
import { getByIds, insertOrGet, type PortableCollection, type Row } from '../documents/collection.ts';

export class Immutable<T extends Row> {
  readonly #collection: PortableCollection<T>;
  readonly #memory: LRUCache<string, T>;
  readonly #remembersReads: boolean;

  /** Without `remembersReads` a scan over a population does not drive out the documents that were put. */
  constructor(collection: PortableCollection<T>, memory: LRUCache<string, T>, remembersReads = true) {
    this.#collection = collection;
    this.#memory = memory;
    this.#remembersReads = remembersReads;
  }

  /** Insert-or-get. Returns the stored documents, in the order asked. */
  readonly put = async (documents: readonly T[]): Promise<readonly T[]> => {
    const answer = this.#remembered(documents.map(({ _id }) => _id));
    const unknown = documents.filter(({ _id }) => !answer.has(_id));
    for (const document of await insertOrGet(this.#collection, unknown)) {
      answer.set(document._id, document);
      this.#memory.set(document._id, document);
    }
    return documents.map((document) => answer.get(document._id) ?? document);
  };

  readonly get = async (ids: readonly string[]): Promise<ReadonlyMap<string, T>> => {
    const answer = this.#remembered(ids);
    const unread = ids.filter((id) => !answer.has(id));
    for (const [id, document] of await getByIds(this.#collection, unread)) {
      answer.set(id, document);
      if (this.#remembersReads) this.#memory.set(id, document);
    }
    return answer;
  };

  #remembered(ids: readonly string[]): Map<string, T> {
    const documents = new Map<string, T>();
    for (const id of ids) {
      const document = this.#memory.get(id);
      if (document !== undefined) documents.set(id, document);
    }
    return documents;
  }
}
