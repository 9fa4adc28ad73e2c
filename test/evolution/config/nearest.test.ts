// Did-you-mean finds typing mistakes and stays silent otherwise.
import { expect, test } from 'vitest';
import { distance, nearest } from '../../../evolution/config/nearest.ts';

test.each([
  ['island', 'islands'],
  ['max_code_chars', 'maxCodeChars'],
  ['tetha', 'theta'],
  ['circle-packing-sqare-26', 'circle-packing-square-26'],
])('%s is near %s', (typed, meant) => {
  expect(nearest(typed, ['steps', 'islands', 'maxCodeChars', 'theta', 'circle-packing-square-26'])).toBe(meant);
});
test('nothing is near rubbish', () => expect(nearest('zzz', ['steps', 'islands'])).toBeNull());
test('a number of the evaluator is no mistyped feature', () =>
  expect(nearest('size', ['length', 'tree-size'])).toBeNull());
test('a swap of neighbours is one edit', () => expect(distance('abcd', 'abdc')).toBe(1));
