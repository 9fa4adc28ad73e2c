// The memory of vectors: each is read once while there is room, missing ones too; order and pages as asked.
import { describe, expect, it } from 'vitest';
import { VectorCache, packVector, unitVector } from '../../../../activities/llm/embeddings/vectors.ts';
import type { EmbeddingDocument } from '../../../../activities/store/documents/step-documents.ts';
import { collect } from '../../store/fixtures.ts';

const document = (id: string, model: string, vector: readonly number[]): EmbeddingDocument => ({
  _id: id,
  run: 'r',
  step: 1,
  model,
  vector: packVector(unitVector(vector)),
  nearest: null,
  duplicate: false,
  distance: 0,
  tokens: 0,
  costUsd: 0,
});
const world = (documents: readonly EmbeddingDocument[], maxBytes?: number) => {
  const reads: string[] = [];
  const store = {
    getEmbeddings: async (ids: readonly string[]) => {
      reads.push(...ids);
      return new Map(documents.filter(({ _id }) => ids.includes(_id)).map((one) => [one._id, one]));
    },
  };
  const cache = new VectorCache(store, maxBytes);
  return {
    reads,
    async ask(model: string, ids: readonly string[]): Promise<string[][]> {
      const pages = await collect(cache.pages(model, ids));
      return pages.map((page) => page.map(({ id }) => id));
    },
  };
};
const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `p${index}`);

describe('vectors of a population', () => {
  it('come in pages, in the order asked, and are read once', async () => {
    const ids = many(1_200);
    const { ask, reads } = world(ids.map((id, index) => document(id, 'm', [index, 1])));
    const first = await ask('m', ids);
    expect(first.length).toBeGreaterThan(1);
    expect(first.flat()).toEqual(ids);
    expect((await ask('m', [...ids].reverse())).flat()).toEqual([...ids].reverse());
    expect(reads).toHaveLength(1_200);
  });

  it('leave out programs without one, of another model and with an empty one, and look them up once', async () => {
    const { ask, reads } = world([document('a', 'm', [1]), document('b', 'other', [1]), document('c', 'm', [])]);
    expect((await ask('m', ['c', 'b', 'unknown', 'a'])).flat()).toEqual(['a']);
    expect((await ask('other', ['a', 'b', 'c', 'unknown'])).flat()).toEqual(['b']);
    expect(reads.sort()).toEqual(['a', 'b', 'c', 'unknown']);
  });

  it('are right without room for them, only read more often', async () => {
    const ids = many(700);
    const { ask, reads } = world(
      ids.map((id, index) => document(id, 'm', [index, 1])),
      10_000,
    );
    for (let round = 0; round < 3; round++) expect((await ask('m', ids)).flat()).toEqual(ids);
    expect(reads).toHaveLength(2_100);
  });

  it('used last stay', async () => {
    const { ask, reads } = world(
      many(100).map((id) => document(id, 'm', [1, 2])),
      10 * 208,
    );
    await ask('m', ['p0', 'p1']);
    for (const id of many(9).slice(2)) {
      await ask('m', [id]);
      await ask('m', ['p0']);
    }
    await ask('m', ['p50', 'p51']);
    await ask('m', ['p0']);
    expect(reads.filter((id) => id === 'p0')).toHaveLength(1);
    await ask('m', ['p1']);
    expect(reads.filter((id) => id === 'p1')).toHaveLength(2);
  });
});
