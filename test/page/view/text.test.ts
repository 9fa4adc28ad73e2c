// Numbers and outcomes as they are written: each outcome that a program can have has a word and a colour of its own, so
// that no band of a plot is without a name.
import { expect, test } from 'vitest';
import { OUTCOMES as ALL } from '../../../evolution/types.ts';
import {
  alignedScores,
  inZone,
  messageOf,
  moment,
  outcomeName,
  OUTCOMES,
  parkedWords,
  score,
} from '../../../page/view/base/text.ts';

test('every outcome has a word and a colour of its own', () => {
  expect(OUTCOMES.map(({ outcome }) => outcome).sort()).toEqual([...ALL].sort());
  for (const of of ['name', 'colour'] as const) expect(new Set(OUTCOMES.map((one) => one[of])).size).toBe(ALL.length);
  expect(outcomeName('invalid')).toBe('invalid');
  expect(outcomeName('of_a_later_version')).toBe('of a later version');
});

test.each([
  [2.6358627564136983, undefined, '2.635862756'],
  [1234.567, 3, '1230'],
  [0, 3, '0'],
  [null, undefined, '–'],
  [Number.NaN, 3, '–'],
])('the score %s with %s digits reads %s', (value, digits, text) => {
  expect(score(value, digits)).toBe(text);
});

test('an error is read by its message', () => {
  expect([messageOf(new Error('gone')), messageOf('lost')]).toEqual(['gone', 'lost']);
});

test('the scores of a column have their points below each other', () => {
  expect(alignedScores([1.88036161, 1.895965399, 2, null])).toEqual(['1.880361610', '1.895965399', '2.000000000', '–']);
  expect(alignedScores([12, 7])).toEqual(['12', '7']);
  expect(alignedScores([0.88933210924, 1.18])).toEqual(['0.889332109', '1.180000000']);
  expect(alignedScores([0.00123456789, 1.5])).toEqual(['0.00123456789', '1.500000000']);
});

test('a time in a sentence of the server is in the time zone of whoever looks', () => {
  expect(inZone('parked since 2026-11-23 02:50 UTC: no answer')).toBe(
    `parked since ${moment('2026-11-23T02:50Z')}: no answer`,
  );
  expect(inZone('at 2026-11-23 02:50:07 UTC')).toMatch(/^at \d{4}-\d\d-\d\d \d\d:\d\d:07$/);
});

const PARKED_AT = new Date(2026, 10, 28, 6, 19, 5);
const parked = {
  ...{ since: PARKED_AT.toISOString(), tries: 3, trying: false },
  next: new Date(PARKED_AT.getTime() + 480_000).toISOString(),
};

test('the next try of a parked run counts down, in the time zone of whoever looks', () => {
  const words = (afterMs: number) => parkedWords(parked, PARKED_AT.getTime() + afterMs);
  expect(words(0)).toBe(
    'Parked since 2026-11-28 06:19, failed 3 times. It tries again by itself at 06:27:05 (in 8 min 0 s).',
  );
  expect(words(470_000)).toContain('at 06:27:05 (in 10 s).');
  expect(words(480_000)).toContain('It is being tried again now.');
});

test('a parked run that waits for a person says so', () =>
  expect(parkedWords({ ...parked, tries: 1, next: null }, 0)).toMatch(/failed once\. It waits for a person\.$/));
