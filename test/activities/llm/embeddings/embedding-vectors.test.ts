// Vectors of embeddings: unit length, bytes and back, cosine, nearest and distance.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cosine,
  distanceTo,
  type Named,
  nearestOf,
  packVector,
  unitVector,
  unpackVector,
} from '../../../../activities/llm/embeddings/vectors.ts';

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const values = fc.array(finite, { minLength: 1, maxLength: 40 });
const pair = fc
  .integer({ min: 1, max: 40 })
  .chain((length) =>
    fc.tuple(
      fc.array(finite, { minLength: length, maxLength: length }),
      fc.array(finite, { minLength: length, maxLength: length }),
    ),
  );
const norm = (vector: Float32Array): number => Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
const named = (id: string, ...components: number[]): Named => ({ id, vector: unitVector(components) });
const pages = async function* (...all: readonly (readonly Named[])[]): AsyncGenerator<readonly Named[]> {
  yield* all;
};

describe('a vector', () => {
  it('is made unit length, however large or small its numbers; zeros stay zeros', () => {
    fc.assert(
      fc.property(values, (numbers) => {
        const length = norm(unitVector(numbers));
        if (numbers.every((value) => value === 0)) expect(length).toBe(0);
        else expect(length).toBeCloseTo(1, 5);
      }),
    );
    expect([...unitVector([3e300, 4e300])]).toEqual([Math.fround(0.6), Math.fround(0.8)]);
    expect([...unitVector([0, 0])]).toEqual([0, 0]);
  });

  it('comes back from its bytes as it was, little-endian, wherever they lie', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 0, max: 7 }), (numbers, offset) => {
        const vector = unitVector(numbers);
        const bytes = Buffer.alloc(offset + 4 * vector.length);
        bytes.set(packVector(vector), offset);
        expect(unpackVector(bytes.subarray(offset))).toEqual(vector);
      }),
    );
    expect([...packVector(Float32Array.of(1, -2))]).toEqual([0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0]);
    expect(unpackVector(new Uint8Array(0))).toHaveLength(0);
  });

  it('has a cosine that is symmetric, within [-1, 1], and 1 with itself', () => {
    fc.assert(
      fc.property(pair, ([a, b]) => {
        const [x, y] = [unitVector(a), unitVector(b)];
        expect(cosine(x, y)).toBe(cosine(y, x));
        expect(Math.abs(cosine(x, y))).toBeLessThanOrEqual(1);
        if (norm(x) > 0) expect(cosine(x, x)).toBeCloseTo(1, 5);
        const plain = [...x].reduce((sum, value, index) => sum + value * y[index]!, 0);
        expect(cosine(x, y)).toBeCloseTo(Math.max(-1, Math.min(1, plain)), 6);
      }),
    );
  });
});

describe('the nearest program', () => {
  it('is the most similar of all pages, the first of equals', async () => {
    const near = await nearestOf(
      [unitVector([1, 0]), unitVector([0, 1])],
      pages([named('a', 1, 1), named('b', 2, 2)], [], [named('c', 0, 3)]),
    );
    expect(near.map((one) => one!.program)).toEqual(['a', 'c']);
    expect(near[0]!.similarity).toBeCloseTo(Math.SQRT1_2, 6);
    expect(near[1]!.similarity).toBeCloseTo(1, 6);
  });

  it('is null where there is none to compare with: nobody, or vectors of another length', async () => {
    expect(await nearestOf([unitVector([1, 0])], pages())).toEqual([null]);
    expect(await nearestOf([unitVector([1, 0]), new Float32Array(0)], pages([named('a', 1, 1, 1)]))).toEqual([
      null,
      null,
    ]);
  });

  it('is what a plain search over all finds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 6, maxLength: 6 }), {
          minLength: 1,
          maxLength: 30,
        }),
        fc.integer({ min: 1, max: 7 }),
        async (rows, size) => {
          const all = rows.slice(1).map((row, index) => named(String(index), ...row));
          const child = unitVector(rows[0]!);
          const cut = Array.from({ length: Math.ceil(all.length / size) }, (_, page) =>
            all.slice(page * size, (page + 1) * size),
          );
          const [near] = await nearestOf([child], pages(...cut));
          const best = Math.max(...all.map(({ vector }) => cosine(child, vector)));
          expect(near?.similarity ?? null).toBe(all.length === 0 ? null : best);
        },
      ),
    );
  });
});

describe('the distance to the reference programs', () => {
  it('is the mean of 1 - cosine, 0 without any of its length', () => {
    const child = unitVector([1, 0]);
    expect(distanceTo(child, [])).toBe(0);
    expect(distanceTo(child, [named('same', 5, 0)])).toBeCloseTo(0, 6);
    expect(distanceTo(child, [named('same', 5, 0), named('across', 0, 2), named('opposite', -1, 0)])).toBeCloseTo(
      (0 + 1 + 2) / 3,
      6,
    );
    expect(distanceTo(child, [named('across', 0, 2), named('longer', 0, 2, 3)])).toBeCloseTo(1, 6);
    expect(distanceTo(new Float32Array(0), [{ id: 'nothing', vector: new Float32Array(0) }])).toBe(0);
  });
});
