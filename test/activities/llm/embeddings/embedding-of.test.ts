// Which embedding speaks for a candidate: its own, or that of the first with equivalent code.
import { expect, it } from 'vitest';
import { embeddingOf } from '../../../../activities/llm/embeddings/vectors.ts';
import type { EmbeddingDocument } from '../../../../activities/store/documents/step-documents.ts';
import { delta } from '../../store/fixtures.ts';

const deltas = [
  { ...delta('r', 1, 0), normHash: 'a' },
  { ...delta('r', 1, 1), normHash: 'a' },
  { ...delta('r', 1, 2), normHash: 'b' },
  { ...delta('r', 1, 3), normHash: 'a' },
  { ...delta('r', 1, 4), normHash: 'a', outcome: 'duplicate' as const },
  { ...delta('r', 1, 5), normHash: 'c' },
];
const embedding = (slot: number, duplicate: boolean): readonly [string, EmbeddingDocument] => [
  deltas[slot]!._id,
  {
    _id: deltas[slot]!._id,
    run: 'r',
    step: 1,
    model: 'm',
    vector: new Uint8Array(8),
    nearest: null,
    duplicate,
    distance: 0,
    tokens: 1,
    costUsd: 0,
  },
];

it('its own, else that of the lowest slot with equivalent code; none where nothing was embedded', () => {
  const stored = new Map([embedding(0, true), embedding(2, false), embedding(3, false)]);
  for (const order of [deltas, [...deltas].reverse()]) {
    const found = embeddingOf(
      order.filter(({ outcome }) => outcome === null),
      stored,
    );
    expect(deltas.map(({ _id }) => found.get(_id)?._id ?? null)).toEqual([
      deltas[0]!._id,
      deltas[0]!._id,
      deltas[2]!._id,
      deltas[3]!._id,
      null,
      null,
    ]);
  }
  expect(embeddingOf(deltas, new Map()).size).toBe(0);
});
