// The ladder of trust: a rung counts where everything of it was looked at and found well, and no task can claim one.
import { expect, test } from 'vitest';
import { nextRung, trustAtStart, trustOf, trustText } from '../../evolution/task/trust.ts';

const found = (text: string) =>
  text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => ({
      check: {
        initial: 'initial, 10 s: valid',
        golden: 'golden: square',
        cheat: 'cheat: lies',
        after: 'cheats: an honest program after them',
      }[word.replace('!', '')]!,
      ok: !word.endsWith('!'),
    }));

test.each([
  ['solution', '', null, 'an initial program that has a score'],
  ['solution', 'initial! golden cheat', null, 'an initial program that has a score'],
  [
    'script',
    'initial golden cheat',
    'runnable',
    'an evaluator apart from the program: kind: solution or kind: function',
  ],
  ['function', 'initial', 'isolated', 'golden cases that pass, in fixtures/golden.json'],
  ['solution', 'initial golden golden! cheat', 'isolated', 'golden cases that pass, in fixtures/golden.json'],
  ['solution', 'initial golden cheat cheat! after', 'checked', 'cheats that all fail, in a check with --strict'],
  ['solution', 'initial golden cheat after', 'cheat-proof', null],
] as const)('%s with %j is %s', (kind, findings, level, next) => {
  expect(trustOf(kind, found(findings))).toBe(level);
  expect(nextRung(level)).toBe(next);
  if (level !== null) expect(trustText(level)).toMatch(new RegExp(`^${level}: `));
});

test('a run has the rung of its kind, or a higher one that a check found', () => {
  expect(trustAtStart({ kind: 'script' }, null)).toBe('runnable');
  expect(trustAtStart({ kind: 'function' }, null)).toBe('isolated');
  expect(trustAtStart({ kind: 'function' }, 'runnable')).toBe('isolated');
  expect(trustAtStart({ kind: 'solution' }, 'cheat-proof')).toBe('cheat-proof');
});
