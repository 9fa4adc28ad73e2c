// How near a step's programs are to the population: the most similar program alive, and the distance to the reference programs
// (near-duplicates as in ShinkaEvolve's novelty gate: reference `peers`, section 8, without a judge). Called by embed.ts.
import type { ProgramId } from '../../evolution/types.ts';
import type { Named } from './embedding-cache.ts';
import { cosine } from './embedding-vectors.ts';

export type Nearest = { readonly program: ProgramId; readonly similarity: number };

/** For each vector the most similar of the programs, the first of equals; null where none has its length. */
export const nearestOf = async (vectors: readonly Float32Array[], pages: AsyncIterable<readonly Named[]>): Promise<readonly (Nearest | null)[]> => {
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

/** Mean of 1 - cosine over the programs that have its length, in [0, 2]; 0 without any. */
export const distanceTo = (vector: Float32Array, references: readonly Named[]): number => {
  const comparable = references.filter((reference) => reference.vector.length === vector.length && vector.length > 0);
  return comparable.length === 0 ? 0 : comparable.reduce((sum, reference) => sum + 1 - cosine(vector, reference.vector), 0) / comparable.length;
};
