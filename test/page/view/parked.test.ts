// A parked run says since when, how often it failed, and when it tries again, which counts down.
import { expect, test } from 'vitest';
import { parkedWords } from '../../../page/view/base/text.ts';

const at = new Date(2026, 10, 28, 6, 19, 5);
const parked = {
  since: at.toISOString(),
  tries: 3,
  next: new Date(at.getTime() + 480_000).toISOString(),
  trying: false,
};

test('the time of the next try counts down, in the time zone of whoever looks', () => {
  const words = (afterMs: number) => parkedWords(parked, at.getTime() + afterMs);
  expect(words(0)).toBe(
    'Parked since 2026-11-28 06:19, failed 3 times. It tries again by itself at 06:27:05 (in 8 min 0 s).',
  );
  expect(words(470_000)).toContain('at 06:27:05 (in 10 s).');
  expect(words(480_000)).toContain('It is being tried again now.');
});

test('one that waits for a person says so', () =>
  expect(parkedWords({ ...parked, tries: 1, next: null }, 0)).toMatch(/failed once\. It waits for a person\.$/));
