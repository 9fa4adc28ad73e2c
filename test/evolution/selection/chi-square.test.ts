// A draw that does not follow its formula fails with the outcomes that are off, so that one sees which rule is broken.
import { expect, test } from 'vitest';
import { expectShares } from '../../support/domain/chi-square.ts';

const draws = (counts: Readonly<Record<string, number>>): string[] =>
  Object.entries(counts).flatMap(([id, count]) => Array<string>(count).fill(id));

test('it names what was expected and drawn of the outcomes that are farthest off, the farthest first', () => {
  const even = new Map(['a', 'b', 'c'].map((id) => [id, 1]));
  expectShares(draws({ a: 102, b: 99, c: 99 }), even);
  expect(() => expectShares(draws({ a: 100, b: 30, c: 170 }), even)).toThrow(
    /3 classes\); the farthest from it:\n {2}[bc]: expected 100\.0 draws, got (30|170)\n {2}[bc]: .*\n {2}a: expected 100\.0 draws, got 100\n/,
  );
});

test('outcomes that are drawn a few times only are one class, and are named so', () => {
  const weights = new Map([...['a', 'b'].map((id) => [id, 500] as const), ...['x', 'y'].map((id) => [id, 4] as const)]);
  expect(() => expectShares(draws({ a: 450, b: 450, x: 108 }), weights)).toThrow(
    'the rare ones together: expected 8.0 draws, got 108',
  );
});
