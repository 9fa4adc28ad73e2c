// Each outcome that a program can have has a word and a colour of its own, so that no band of a plot is without a name.
import { expect, test } from 'vitest';
import { OUTCOMES as ALL } from '../../../evolution/types.ts';
import { outcomeName, OUTCOMES } from '../../../page/view/run/outcome-names.ts';

test('every outcome has a word and a colour of its own', () => {
  expect(OUTCOMES.map(({ outcome }) => outcome).sort()).toEqual([...ALL].sort());
  for (const of of ['name', 'colour'] as const) expect(new Set(OUTCOMES.map((one) => one[of])).size).toBe(ALL.length);
  expect(outcomeName('invalid')).toBe('invalid');
  expect(outcomeName('of_a_later_version')).toBe('of a later version');
});
