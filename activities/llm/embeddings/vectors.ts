// Vectors of embeddings: made unit length, packed for the database, cached and compared.
import { LRUCache } from 'lru-cache';
import { setImmediate as turn } from 'node:timers/promises';
import type { ProgramId } from '../../../evolution/types.ts';
import type { DeltaDocument, EmbeddingDocument } from '../../store/documents/step-documents.ts';
import type { Store } from '../../store/store.ts';

/** Makes unit length; zeros stay zeros. The values are scaled first, so that no square overflows. */
export const unitVector = (values: readonly number[]): Float32Array => {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0) return new Float32Array(values.length);
  const norm = Math.sqrt(values.reduce((sum, value) => sum + (value / largest) ** 2, 0));
  return Float32Array.from(values, (value) => value / largest / norm);
};

/** Little-endian Float32, four bytes a number. */
export const packVector = (vector: Float32Array): Uint8Array => {
  const bytes = new Uint8Array(4 * vector.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < vector.length; i++) view.setFloat32(4 * i, vector[i]!, true);
  return bytes;
};

export const unpackVector = (bytes: Uint8Array): Float32Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const vector = new Float32Array(Math.floor(bytes.byteLength / 4));
  for (let i = 0; i < vector.length; i++) vector[i] = view.getFloat32(4 * i, true);
  return vector;
};

/** Cosine of two unit vectors of the same length above 0, in [-1, 1]. It is 0 where one of them is zero. */
export const cosine = (a: Float32Array, b: Float32Array): number => {
  // Four sums at once are three times as fast as one, and a step compares millions of numbers.
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  const whole = a.length - (a.length % 4);
  for (let i = 0; i < whole; i += 4) {
    s0 += a[i]! * b[i]!;
    s1 += a[i + 1]! * b[i + 1]!;
    s2 += a[i + 2]! * b[i + 2]!;
    s3 += a[i + 3]! * b[i + 3]!;
  }
  for (let i = whole; i < a.length; i++) s0 += a[i]! * b[i]!;
  return Math.max(-1, Math.min(1, s0 + s1 + s2 + s3));
};

/** Enough for 20,000 vectors of 1,536 dimensions. */
const MAX_BYTES = 128e6;
/** So many programs are compared before other work gets a turn, which takes some milliseconds for each child. */
const PAGE = 500;

export type Named = { readonly id: ProgramId; readonly vector: Float32Array };
/**
 * Vector null: the program has none, and never will, because an embedding is stored before its program is committed.
 */
type Kept = { readonly model: string; readonly vector: Float32Array | null };

/**
 * Keeps vectors of programs in memory, so that a step does not read those of the whole population each time. The least
 * recently used ones are dropped first. What does not fit is read again each time, which is slower and equally right.
 */
export class VectorCache {
  readonly #store: Pick<Store, 'getEmbeddings'>;
  readonly #kept: LRUCache<ProgramId, Kept>;

  constructor(store: Pick<Store, 'getEmbeddings'>, maxBytes = MAX_BYTES) {
    this.#store = store;
    this.#kept = new LRUCache({ maxSize: maxBytes, sizeCalculation: sizeBytes });
  }

  /**
   * The vectors that this model made of these programs, in pages, in the order asked. A program without one is left
   * out.
   */
  async *pages(model: string, ids: readonly ProgramId[]): AsyncGenerator<readonly Named[]> {
    for (let from = 0; from < ids.length; from += PAGE) {
      const page = ids.slice(from, from + PAGE);
      const vectors = await this.#read(model, page);
      yield page.flatMap((id): Named[] => {
        const kept = vectors.get(id);
        return kept?.model === model && kept.vector !== null ? [{ id, vector: kept.vector }] : [];
      });
      await turn();
    }
  }

  async #read(model: string, ids: readonly ProgramId[]): Promise<ReadonlyMap<ProgramId, Kept>> {
    const vectors = new Map<ProgramId, Kept>();
    for (const id of ids) {
      const kept = this.#kept.get(id);
      if (kept !== undefined) vectors.set(id, kept);
    }
    const unread = ids.filter((id) => !vectors.has(id));
    const documents = unread.length === 0 ? null : await this.#store.getEmbeddings(unread);
    for (const id of unread) {
      const document = documents!.get(id);
      vectors.set(
        id,
        document === undefined || document.vector.byteLength === 0
          ? { model, vector: null }
          : { model: document.model, vector: unpackVector(document.vector) },
      );
    }
    for (const [id, kept] of vectors) this.#kept.set(id, kept);
    return vectors;
  }
}

/** The bytes of the vector and of an entry of a map. */
const sizeBytes = ({ vector }: Kept): number => (vector?.byteLength ?? 0) + 200;

/**
 * The most similar program alive. Near-duplicates are those of
 * ShinkaEvolve's novelty gate (arXiv 2509.19349), without a judge.
 */
export type Nearest = { readonly program: ProgramId; readonly similarity: number };

/** For each vector the most similar program, the first of equals. Null where no program has a vector of its length. */
export const nearestOf = async (
  vectors: readonly Float32Array[],
  pages: AsyncIterable<readonly Named[]>,
): Promise<readonly (Nearest | null)[]> => {
  const nearest = vectors.map((): Nearest | null => null);
  for await (const page of pages) {
    for (const [index, vector] of vectors.entries()) {
      let best = nearest[index]!;
      for (const { id, vector: other } of page) {
        if (other.length !== vector.length) continue;
        const similarity = cosine(vector, other);
        if (best === null || similarity > best.similarity) best = { program: id, similarity };
      }
      nearest[index] = best;
    }
  }
  return nearest;
};

/** Mean of 1 - cosine over the programs whose vectors have its length, in [0, 2]. It is 0 where there are none. */
export const distanceTo = (vector: Float32Array, references: readonly Named[]): number => {
  const comparable = references.filter((reference) => reference.vector.length === vector.length && vector.length > 0);
  return comparable.length === 0
    ? 0
    : comparable.reduce((sum, reference) => sum + 1 - cosine(vector, reference.vector), 0) / comparable.length;
};

/**
 * The embedding that stands for a candidate of a step: its own, where it has one. Of candidates with equivalent code
 * (`normHash`) only some are embedded, as only some are evaluated, and for the others the embedding of the lowest slot
 * stands. So a candidate that is evaluated without an embedding of its own shares an evaluation, and what is equivalent
 * to a near-duplicate is one too. `open` are the candidates that did not end in the early checks.
 */
export const embeddingOf = (
  open: readonly Pick<DeltaDocument, '_id' | 'slot' | 'normHash'>[],
  embeddings: ReadonlyMap<ProgramId, EmbeddingDocument>,
): ReadonlyMap<ProgramId, EmbeddingDocument> => {
  const byCode = new Map<string, EmbeddingDocument>();
  for (const { _id, normHash } of [...open].sort((a, b) => a.slot - b.slot)) {
    const own = embeddings.get(_id);
    if (own !== undefined && normHash !== null && !byCode.has(normHash)) byCode.set(normHash, own);
  }
  return new Map(
    open.flatMap(({ _id, normHash }) => {
      const embedding = embeddings.get(_id) ?? (normHash === null ? undefined : byCode.get(normHash));
      return embedding === undefined ? [] : [[_id, embedding] as const];
    }),
  );
};
