// Seeded randomness of the offline model: the same text and seed always give the same stream.
import { sha256 } from '../../host/sha256.ts';

export type Random = {
  /** Uniform in [0, 1). */
  readonly next: () => number;
  /** Uniform integer in [0, bound). */
  readonly below: (bound: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly gauss: () => number;
  /** Log-uniform in [low, high]. */
  readonly logUniform: (low: number, high: number) => number;
  readonly pick: <T>(items: readonly T[]) => T | undefined;
};

export function randomFrom(...key: readonly (string | number)[]): Random {
  const bytes = Buffer.from(sha256(key.join('\u0000')), 'hex');
  const next = sfc32(bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8), bytes.readUInt32LE(12));
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    gauss: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    logUniform: (low, high) => low * (high / low) ** next(),
    pick: (items) => items[below(items.length)],
  };
}

/** Small fast counting generator of C. Doty-Humphrey (PractRand), 32-bit variant. */
function sfc32(a: number, b: number, c: number, counter: number): () => number {
  return () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 4294967296;
  };
}

/** An index drawn with probability proportional to its weight; -1 when all weights are zero. */
export function weightedIndex(random: Random, weights: readonly number[]): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let left = random.next() * total;
  for (const [index, weight] of weights.entries()) {
    left -= weight;
    if (weight > 0 && left < 0) return index;
  }
  return weights.findLastIndex((weight) => weight > 0);
}
