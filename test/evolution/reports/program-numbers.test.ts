// How each number of a program is read and written. A number that is added has a line here.
import { expect, test } from 'vitest';
import {
  isNumber,
  numberEntry,
  numberNames,
  numbersOf,
  numbersVersion,
  numberText,
  numberTexts,
} from '../../../evolution/reports/program-numbers.ts';

const program = { score: 2.6358627564136983, strictScore: null, reward: 0.33333, length: 1234 };
const answer = { usage: { in: 12_345, out: 678 }, costUsd: 0.0012 };
const evaluation = { cpuMs: 1500, wallMs: 2000, peakBytes: null };
const all = {
  ...numbersOf('base', program),
  ...numbersOf('features', program),
  ...numbersOf('paid', answer),
  ...numbersOf('evaluated', evaluation),
};

test.each([
  ['score', 2.6358627564136983, 'score 2.635862756'],
  ['strictScore', null, 'strict score none'],
  ['length', 1234, 'length 1,234'],
  ['reward', 0.33333, 'reward 0.3333'],
  ['tokensIn', 12_345, 'tokens in 12.3 k'],
  ['tokensOut', 678, 'tokens out 678'],
  ['tokens', 13_023, 'tokens 13 k'],
  ['costUsd', 0.0012, 'cost $0.0012'],
  ['cpuSeconds', 1.5, 'CPU time 1.5 s'],
] as const)('%s is %s, written as "%s"', (name, value, text) => {
  expect(all[name]).toBe(value);
  expect(`${numberEntry(name).title} ${numberText(name, all[name])}`).toBe(text);
});

test('the table has no number that is not read, and the numbers of a part stand in one sentence', () => {
  expect(Object.keys(all)).toEqual(numberNames);
  expect(numberNames.every(isNumber)).toBe(true);
  expect(isNumber('constructor')).toBe(false);
  expect(numberTexts('base', program)).toBe('score 2.635862756, strict score none, length 1,234');
  expect(numbersOf('evaluated', { ...evaluation, cpuMs: null })).toEqual({ cpuSeconds: null });
});

test('the version of stored rows names each number, its type and how it is read', () => {
  expect(numbersVersion()).toContain('usage.in + usage.out');
  for (const name of numberNames) expect(numbersVersion()).toContain(`"${name}"`);
});
