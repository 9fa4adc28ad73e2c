// The contract of the store, embeddings: bytes as they were put, and the first one stands.
import { describe, expect, it } from 'vitest';
import { embeddingsIn } from '../../../../activities/store/content/content-store.ts';
import { storeOver } from '../../../../activities/store/open-store.ts';
import type { EmbeddingDocument } from '../../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../../activities/store/store.ts';
import { programId } from '../../../../evolution/ids.ts';
import type { World } from '../steps/steering-contract.ts';

const embedding = (run: string, slot: number, dimensions = 5): EmbeddingDocument => ({
  _id: programId(run, 1, 0, slot),
  run,
  step: 1,
  model: 'm',
  vector: Uint8Array.from({ length: 4 * dimensions }, (_, index) => (index * 41 + slot) % 256),
  nearest: slot % 2 === 0 ? null : { program: programId(run, 0, 0, 0), similarity: 0.9973 + slot / 1e6 },
  duplicate: slot % 2 === 1,
  distance: slot / 7,
  tokens: 100 + slot,
  costUsd: 0.1 + 0.2,
  ...(slot === 3 ? { cut: true as const } : {}),
});
/** Bytes come back as a Buffer of one database and an array of another. */
const plain = (document: EmbeddingDocument | undefined) =>
  document === undefined ? undefined : { ...document, vector: [...document.vector] };

export const embeddingsContract = ({ backend, store, freshRun }: World): void => {
  const restarted = (): Store => storeOver(backend().collections);

  describe('embeddings', () => {
    it('come back with every field and byte, an empty vector too', async () => {
      const run = freshRun();
      const documents = [embedding(run, 0), embedding(run, 1), embedding(run, 2, 0), embedding(run, 3, 1_536)];
      expect(await store().putEmbeddings(documents)).toEqual(documents);
      for (const from of [store(), restarted()]) {
        const found = await from.getEmbeddings([...documents.map(({ _id }) => _id), programId(run, 9, 0, 0)]);
        expect(found.size).toBe(4);
        for (const document of documents) expect(plain(found.get(document._id))).toEqual(plain(document));
      }
      expect(await store().putEmbeddings([])).toEqual([]);
    });

    it('are insert-or-get: the first stands, whoever comes later, and is returned in the order asked', async () => {
      const run = freshRun();
      await store().putEmbeddings([embedding(run, 0), embedding(run, 2)]);
      const later = await restarted().putEmbeddings(
        [2, 1, 0].map((slot) => ({ ...embedding(run, slot, 8), duplicate: true, tokens: 0 })),
      );
      expect(later.map(({ tokens, duplicate, vector }) => [tokens, duplicate, vector.byteLength])).toEqual([
        [102, false, 20],
        [0, true, 32],
        [100, false, 20],
      ]);
      const found = await restarted().getEmbeddings([0, 1, 2].map((slot) => programId(run, 1, 0, slot)));
      expect([...found.values()].map(({ tokens }) => tokens).sort((a, b) => a - b)).toEqual([0, 100, 102]);
    });

    it('hundreds at once, as a population has them', async () => {
      const run = freshRun();
      const documents = Array.from({ length: 333 }, (_, slot) => embedding(run, slot, 16));
      await store().putEmbeddings(documents);
      const found = await restarted().getEmbeddings(documents.map(({ _id }) => _id));
      expect(documents.map(({ _id }) => plain(found.get(_id)))).toEqual(documents.map(plain));
    });

    it('are right however few of them are kept in memory', async () => {
      const run = freshRun();
      const small = embeddingsIn(backend().collections.embeddings, 1_000);
      const documents = Array.from({ length: 10 }, (_, slot) => embedding(run, slot, 16));
      await small.put(documents);
      const found = await small.get(documents.map(({ _id }) => _id));
      expect(documents.map(({ _id }) => plain(found.get(_id)))).toEqual(documents.map(plain));
    });
  });
};
