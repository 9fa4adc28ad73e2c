// The embeddings of a step's programs: insert-or-get, and a memory of those that were put last, so that a commit does
// not read its step's embeddings again. The memory is bounded by bytes, because a vector has up to 64 KB.
import { LRUCache } from 'lru-cache';
import type { ProgramId } from '../../../evolution/types.ts';
import { getByIds, insertOrGet, type PortableCollection } from '../documents/collection.ts';
import type { EmbeddingDocument } from '../documents/step-documents.ts';

export type Embeddings = {
  /** The stored documents, in the order asked. */
  put(documents: readonly EmbeddingDocument[]): Promise<readonly EmbeddingDocument[]>;
  get(ids: readonly ProgramId[]): Promise<ReadonlyMap<ProgramId, EmbeddingDocument>>;
};

export const embeddingsIn = (collection: PortableCollection<EmbeddingDocument>, maxBytes: number): Embeddings => {
  const kept = new LRUCache<ProgramId, EmbeddingDocument>({ maxSize: maxBytes, sizeCalculation: sizeBytes });
  return {
    async put(documents) {
      const stored = await insertOrGet(collection, documents);
      for (const document of stored) kept.set(document._id, document);
      return stored;
    },
    /**
     * Documents that are read are not remembered, because a scan over a population would drive out the step's own
     * embeddings.
     */
    async get(ids) {
      const found = new Map(
        ids.flatMap((id) => {
          const document = kept.get(id);
          return document === undefined ? [] : [[id, document] as const];
        }),
      );
      for (const document of (
        await getByIds(
          collection,
          ids.filter((id) => !found.has(id)),
        )
      ).values())
        found.set(document._id, document);
      return found;
    },
  };
};

/** The vector, and about what the rest of a document takes. */
const sizeBytes = ({ vector }: EmbeddingDocument): number => vector.byteLength + 400;
