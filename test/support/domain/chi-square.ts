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
  const rare = { name: 'the rare ones together', expected: 0, count: 0 };
  const classes: { name: string; expected: number; count: number }[] = [];
  for (const [id, weight] of weights) {
    const one = { name: id, expected: (drawn.length * weight) / total, count: counts.get(id)! };
    if (one.expected >= 5) classes.push(one);
    else {
      rare.expected += one.expected;
      rare.count += one.count;
    }
  }
  if (rare.expected >= 5) classes.push(rare);
  else expect(rare.count, 'draws of outcomes that should hardly be drawn').toBeLessThan(25);
  expect(classes.length).toBeGreaterThan(1);
  const chiSquare = classes.reduce((sum, { expected, count }) => sum + (count - expected) ** 2 / expected, 0);
  expect(chiSquare, farthest(classes)).toBeLessThan(critical(classes.length - 1));
};

const NAMED = 5;

/** The classes that are farthest from what the formula expects: they tell which of its parts does not hold. */
const farthest = (classes: readonly { name: string; expected: number; count: number }[]): string => {
  const off = ({ expected, count }: { expected: number; count: number }) => (count - expected) ** 2 / expected;
  const rows = [...classes]
    .sort((a, b) => off(b) - off(a))
    .slice(0, NAMED)
    .map(({ name, expected, count }) => `${name}: expected ${expected.toFixed(1)} draws, got ${count}`);
  return `draws do not follow the formula (chi-square over ${classes.length} classes); the farthest from it:\n  ${rows.join('\n  ')}\nchi-square`;
};

export const expectUniform = (drawn: readonly string[], from: readonly string[]): void =>
  expectShares(drawn, new Map(from.map((id) => [id, 1])));
