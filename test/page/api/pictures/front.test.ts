// Programs on two numbers: the front that no other program beats, and the components along which similar ones are near.
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { componentsOf } from '../../../../page/api/pictures/components.ts';
import { betterOf, frontOf, type Better } from '../../../../page/api/pictures/pareto.ts';

const ends = fc.constantFrom<Better>(1, -1);
const numbers = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 })), { maxLength: 30 });

describe('the Pareto front', () => {
  it('is exactly what no other program beats, the best in the first number first', () => {
    fc.assert(
      fc.property(numbers, ends, ends, (points, bx, by) => {
        const [x, y] = [points.map(([one]) => one), points.map(([, one]) => one)];
        const front = frontOf([...points.keys()], [x, y], [bx, by]);
        const beats = (a: number, b: number): boolean =>
          bx * x[a]! >= bx * x[b]! && by * y[a]! >= by * y[b]! && (x[a] !== x[b] || y[a] !== y[b]);
        const same = (a: number, b: number): boolean => x[a] === x[b] && y[a] === y[b];
        for (const row of points.keys()) {
          const isBeaten = [...points.keys()].some((other) => beats(other, row));
          expect(front.filter((one) => same(one, row))).toHaveLength(isBeaten ? 0 : 1);
        }
        for (const [at, row] of front.entries())
          if (at > 0) expect(bx * x[front[at - 1]!]!).toBeGreaterThan(bx * x[row]!);
      }),
    );
  });
  it('leaves out programs without one of the numbers', () => {
    const [x, y] = [Float64Array.of(1, Number.NaN, 3), Float64Array.of(1, 9, Number.NaN)];
    expect(frontOf([0, 1, 2], [x, y], [1, 1])).toEqual([0]);
    expect(frontOf([], [[], []], [1, 1])).toEqual([]);
  });
  it.each([
    ['score', -1, 1],
    ['strictScore', -1, -1],
    ['reward', -1, 1],
    ['length', 1, -1],
    ['costUsd', 1, -1],
    ['metric:margin', -1, 1],
  ] as const)('has the better end of %s where the sign of scores is %d at %d', (feature, sign, better) => {
    expect(betterOf(feature, sign)).toBe(better);
  });
});

describe('the principal components', () => {
  const distance = ([x, y]: readonly (readonly number[])[], a: number, b: number): number =>
    Math.hypot(x![a]! - x![b]!, y![a]! - y![b]!);
  /** Two orthogonal directions of unit length in four dimensions. */
  const place = (a: number, b: number): readonly number[] => [a + b, a - b, a + b, a - b].map((one) => one / 2);

  it('keep the distances of what lies in a plane, wherever the plane is', () => {
    const coordinate = fc.integer({ min: -20, max: 20 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(coordinate, coordinate), { minLength: 2, maxLength: 12 }),
        coordinate,
        (points, more) => {
          const { at, shares } = componentsOf(points.map(([a, b]) => place(a, b).map((value) => value + more)));
          for (const [one, [a, b]] of points.entries())
            for (const [other, [c, d]] of points.entries())
              expect(distance(at, one, other)).toBeCloseTo(Math.hypot(a - c, b - d), 3);
          expect(shares[0] + shares[1]).toBeLessThanOrEqual(1 + 1e-9);
        },
      ),
    );
  });
  test('the first holds the most of the variance, and the answer is the same each time', () => {
    const vectors = Array.from({ length: 50 }, (_, at) => place(10 * Math.sin(at), Math.cos(3 * at)));
    const { at, shares } = componentsOf(vectors);
    expect(shares[0]).toBeGreaterThan(0.9);
    expect(shares[0] + shares[1]).toBeCloseTo(1, 9);
    expect(componentsOf(vectors.toReversed()).at[0][49]).toBeCloseTo(at[0][0]!, 6);
  });
  test('without vectors, or with equal ones, there is nothing to tell', () => {
    expect(componentsOf([])).toEqual({ at: [[], []], shares: [0, 0] });
    const none = [0, 0];
    expect(componentsOf([none, none].map(() => [1, 2]))).toEqual({ at: [none, none], shares: none });
  });
});
