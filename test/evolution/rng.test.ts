// Random streams: fixed for ever by their parts, independent of each other, even.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rng, seedOf } from '../../evolution/rng.ts';

describe('random streams', () => {
  it('give the same numbers for the same parts, on every machine and in every release', () => {
    const random = rng(42, 'parent', 1, 0);
    expect([random.next(), random.next(), random.int(1000)]).toMatchInlineSnapshot(`
      [
        0.9049734444218662,
        0.9607286726374729,
        137,
      ]
    `);
    expect([seedOf(42, 'response', 1, 0, 0), seedOf('a'), seedOf()]).toMatchInlineSnapshot(`
      [
        2050226277,
        815736146,
        1221906554,
      ]
    `);
  });

  it('differ where any part differs, also when the parts read alike', () => {
    const first = (...parts: [string | number, ...(string | number)[]]) => rng(...parts).next();
    const streams = [
      first(1, 23),
      first(12, 3),
      first('1', 23),
      first(1, '23'),
      first(123),
      first(1, 2, 3),
      first(1, 'parent', 1, 0),
      first(1, 'parent', 0, 1),
    ];
    expect(new Set(streams).size).toBe(streams.length);
  });

  it('stay in range: next in [0, 1), int below n, seeds positive and below 2^31', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 1e9 }), (seed, n) => {
        const random = rng(seed);
        for (let draw = 0; draw < 5; draw++) {
          const u = random.next();
          expect(u >= 0 && u < 1).toBe(true);
          const i = random.int(n);
          expect(Number.isInteger(i) && i >= 0 && i < n).toBe(true);
        }
        const s = seedOf(seed, n);
        expect(Number.isInteger(s) && s > 0 && s < 2 ** 31).toBe(true);
      }),
    );
  });

  it('are even within a stream and across the first draws of neighbouring streams', () => {
    const within = rng('even');
    for (const draw of [() => within.int(16), streams(16)]) {
      const counts = Array<number>(16).fill(0);
      for (let i = 0; i < 16_000; i++) counts[draw()]!++;
      const chiSquare = counts.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
      expect(chiSquare).toBeLessThan(37.7); // p = 0.001 at 15 degrees of freedom
    }
  });

  it('draw by weight, never an entry of weight 0, and refuse weights that mean nothing', () => {
    const random = rng('weights');
    const counts = [0, 0, 0];
    for (let i = 0; i < 10_000; i++) counts[random.weighted([0.3, 0, 0.7])]!++;
    expect(counts[1]).toBe(0);
    expect(counts[0]! / 10_000).toBeCloseTo(0.3, 1);
    for (const weights of [[], [0, 0], [1, -1, 2], [Number.NaN]])
      expect(() => random.weighted(weights)).toThrow(RangeError);
    expect(() => random.pick([])).toThrow(RangeError);
  });
});

const streams = (n: number): (() => number) => {
  let index = 0;
  return () => rng(42, 'parent', Math.floor(index / 32), index++ % 32).int(n);
};
