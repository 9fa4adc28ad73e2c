// Seeded random streams, one for each (seed, purpose, step, group): nothing depends on order, attempt or clock.

export type Rng = {
  /** Uniform in [0, 1), with 53 bits. */
  next(): number;
  /** Uniform in 0 .. n-1. */
  int(n: number): number;
  pick<T>(list: readonly T[]): T;
  /** An index, drawn in proportion to the weights. */
  weighted(weights: readonly number[]): number;
};

/** The stream of these parts. The generator is sfc32 (Doty-Humphrey); its state is the 128-bit hash of the parts. */
export const rng = (seed: number | string, ...parts: readonly (string | number)[]): Rng => {
  const word = sfc32(hash128([seed, ...parts]));
  const next = (): number => ((word() >>> 5) * 0x4000000 + (word() >>> 6)) / 0x20000000000000;
  const int = (n: number): number => {
    if (!(Number.isSafeInteger(n) && n > 0)) throw new RangeError(`rng.int: expected a whole number above 0, got ${n}`);
    return Math.floor(next() * n);
  };
  return {
    next,
    int,
    pick: (list) => list[int(list.length)]!,
    weighted: (weights) => weightedIndex(weights, next()),
  };
};

/** A seed for a model request: 1 .. 2^31 - 1, a function of the parts alone. */
export const seedOf = (...parts: readonly (string | number)[]): number => {
  const [word] = hash128(parts);
  return (word % 0x7fffffff) + 1;
};

/** Draws without replacement, uniformly or by the weights that are left, in the order of the draws. */
export const drawDistinct = <T>(
  list: readonly T[],
  count: number,
  rng: Rng,
  weights: readonly number[] | null = null,
): readonly T[] => {
  const left = [...list];
  const weightsLeft = weights === null ? null : [...weights];
  const drawn: T[] = [];
  while (drawn.length < count && left.length > 0) {
    const index = weightsLeft === null ? rng.int(left.length) : rng.weighted(weightsLeft);
    drawn.push(...left.splice(index, 1));
    weightsLeft?.splice(index, 1);
  }
  return drawn;
};

const weightedIndex = (weights: readonly number[], u: number): number => {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (!(total > 0) || weights.some((weight) => !(weight >= 0)))
    throw new RangeError(
      `rng.weighted: expected weights of at least 0 with a positive sum, got [${weights.join(', ')}]`,
    );
  let rest = u * total;
  let last = 0;
  for (const [index, weight] of weights.entries()) {
    if (weight === 0) continue;
    if (rest < weight) return index;
    rest -= weight;
    last = index;
  }
  return last;
};

type Words = readonly [number, number, number, number];

const sfc32 = (state: Words): (() => number) => {
  let [a, b, c, d] = state;
  const word = (): number => {
    const result = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + result) | 0;
    return result >>> 0;
  };
  for (let round = 0; round < 15; round++) word();
  return word;
};

/** Four multiply-xor lanes over UTF-16 units. Type and length precede each part: (1, 23) is not (12, 3). */
const hash128 = (parts: readonly (string | number)[]): Words => {
  const text = parts.map((part) => `${typeof part === 'number' ? 'n' : 's'}${String(part).length}:${part}`).join('|');
  let a = 0x6a09e667,
    b = 0xbb67ae85 | 0,
    c = 0x3c6ef372,
    d = 0xa54ff53a | 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193) ^ (d >>> 15);
    b = Math.imul(b ^ unit, 0x85ebca6b) ^ (a >>> 13);
    c = Math.imul(c ^ unit, 0xc2b2ae35 | 0) ^ (b >>> 16);
    d = Math.imul(d ^ unit, 0x27d4eb2f) ^ (c >>> 14);
  }
  a = avalanche(a ^ text.length);
  b = avalanche(b + a);
  c = avalanche(c + b);
  d = avalanche(d + c);
  return [avalanche(a + d) >>> 0, b >>> 0, c >>> 0, d >>> 0];
};

/** A bijective mixing of 32 bits (MurmurHash3's finaliser). */
export const avalanche = (word: number): number => {
  let x = word | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35 | 0);
  return x ^ (x >>> 16);
};
