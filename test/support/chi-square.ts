// Whether draws follow a formula: Pearson's chi-square at p = 0.001, for tests of seeded draws.
import { expect } from 'vitest';

/** Upper bound of chi-square at p = 0.001 (Wilson and Hilferty). */
const critical = (freedom: number): number =>
  freedom * (1 - 2 / (9 * freedom) + 3.09 * Math.sqrt(2 / (9 * freedom))) ** 3;

/** `weights`: what each outcome is drawn in proportion to. Outcomes of less than five expected draws count as one. */
export const expectShares = (drawn: readonly string[], weights: ReadonlyMap<string, number>): void => {
  const counts = new Map([...weights.keys()].map((id) => [id, 0]));
  for (const id of drawn) counts.set(id, counts.get(id)! + 1);
  expect(counts.size).toBe(weights.size);
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const rare = { expected: 0, count: 0 };
  const classes: { expected: number; count: number }[] = [];
  for (const [id, weight] of weights) {
    const one = { expected: (drawn.length * weight) / total, count: counts.get(id)! };
    if (one.expected >= 5) classes.push(one);
    else {
      rare.expected += one.expected;
      rare.count += one.count;
    }
  }
  if (rare.expected >= 5) classes.push(rare);
  else expect(rare.count).toBeLessThan(25);
  expect(classes.length).toBeGreaterThan(1);
  const chiSquare = classes.reduce((sum, { expected, count }) => sum + (count - expected) ** 2 / expected, 0);
  expect(chiSquare).toBeLessThan(critical(classes.length - 1));
};

export const expectUniform = (drawn: readonly string[], from: readonly string[]): void =>
  expectShares(drawn, new Map(from.map((id) => [id, 1])));
