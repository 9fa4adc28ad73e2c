// Forecasts of limits: what is left, when it is reached, and which comes first.
import { expect, test } from 'vitest';
import {
  firstOf,
  forecast,
  gainOf,
  improvementWords,
  linesInWords,
  strictWords,
  runGains,
} from '../../../../page/api/run/overview.ts';

const RATE = { programs: 600, tokens: 1_000_000, costUsd: 2, steps: 10, overSeconds: 3600 };

test('a limit is reached when what is left is used up at the present rate', () => {
  expect(forecast({ limit: 'programs', of: 1000, spent: 400 }, RATE)).toMatchObject({ share: 0.4, seconds: 3600 });
  expect(forecast({ limit: 'costUsd', of: 5, spent: 4 }, RATE).seconds).toBe(1800);
  // Time passes whatever the run does.
  expect(forecast({ limit: 'wallSeconds', of: 100, spent: 40 }, null).seconds).toBe(60);
});

test('of what is reached already nothing is left, and a score has no date', () => {
  expect(forecast({ limit: 'steps', of: 10, spent: 12 }, RATE)).toMatchObject({ share: 1, seconds: 0 });
  expect(forecast({ limit: 'targetScore', of: 2.6, spent: Number.NaN }, RATE)).toMatchObject({
    share: null,
    seconds: null,
  });
  expect(forecast({ limit: 'costUsd', of: 5, spent: 0 }, { ...RATE, costUsd: 0 }).seconds).toBeNull();
});

test('the first is the one with the least time left, of those of which that is known', () => {
  const all = [
    forecast({ limit: 'targetScore', of: 3, spent: 1 }, RATE),
    forecast({ limit: 'steps', of: 100, spent: 0 }, RATE),
    forecast({ limit: 'costUsd', of: 5, spent: 4 }, RATE),
  ];
  expect(firstOf(all)?.limit).toBe('costUsd');
  expect(firstOf(all.slice(0, 1))).toBeNull();
});

test('a gain is in the direction of the task', () => {
  expect(gainOf(3, 2, 'maximise')).toBe(1);
  expect(gainOf(3, 2, 'minimise')).toBe(-1);
  expect(gainOf(3, null, 'maximise')).toBeNull();
});

test('the score with which a run begins is no improvement', () => {
  const at = (...steps: readonly number[]) => improvementWords(steps.map((step) => ({ step })));
  expect([at(), at(0), at(0, 1), at(0, 3, 9)]).toEqual([
    'not better yet',
    'not better yet',
    'better once',
    'better in 2 steps',
  ]);
});

test('lines that came and went are both counted; of runs that did not count the latter, the former alone', () => {
  expect(linesInWords({ added: 1, deleted: 1200 })).toBe('1 line came and 1,200 lines went');
  expect(linesInWords({ added: 1, deleted: 0 })).toBe('1 line came');
  expect(linesInWords({ added: 0, deleted: 2 })).toBe('2 lines went');
  expect(linesInWords({ added: 3, deleted: null })).toBe('3 lines new or rewritten');
});

test('strict and tolerant scores are both shown only where they differ as written', () => {
  const text = (value: number) => value.toFixed(2);
  expect(strictWords({ score: 2, strictScore: 2 }, text)).toBeNull();
  expect(strictWords({ score: 2, strictScore: 2 - 1e-9 }, text)).toBeNull();
  expect(strictWords({ score: 2, strictScore: 1.5 }, text)).toBe('strict 1.50, tolerant 2.00');
  expect(strictWords({ score: 2, strictScore: null }, text)).toBe('no strict score, tolerant 2.00');
});

test('a best by a new version of the task gained nothing over the one before', () => {
  const bests = [3, 5, 70, 71].map((ranking, step) => ({ ranking, step }));
  expect(runGains(bests, ({ step }) => step === 2)).toEqual([
    { runGain: null, place: null },
    { runGain: 2, place: 1 },
    { runGain: null, place: null },
    { runGain: 1, place: 2 },
  ]);
});
