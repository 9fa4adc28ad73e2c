// Where a program's time went, in words for people and for prompts, and where prompts say nothing of it.
import { expect, test } from 'vitest';
import { printedOf } from '../../../evolution/prompts/parts/printed.ts';
import { spentText } from '../../../evolution/scoring/spent.ts';
import { timeLimitTold } from '../../../evolution/task/task.ts';

const profile = {
  seconds: 6.1,
  functions: [
    { name: 'linprog', percent: 71 },
    { name: 'areas', percent: 9 },
    { name: 'rest', percent: 2 },
  ],
};
const at = (seconds: number | null, score: number | null) => ({ seconds, score });
const scores = [at(0.4, 1), at(1.2, null), at(3.1, 2), at(5, 2)];

test('is exact for people, and in tens of percent in prompts, which tell nothing small', () => {
  const spent = { profile, saves: { count: 7, scores }, score: 2 };
  expect(spentText(spent, 'maximise')).toBe(
    'linprog 71 %, areas 9 %, rest 2 % of 6.1 s of CPU time; 7 saves, the last better after 3.1 s',
  );
  expect(spentText(spent, 'maximise', true)).toBe(
    'linprog 70 %, areas 10 % of its CPU time; 7 saves, the last better at 50 % of it',
  );
  // Smaller is better: the first save was never beaten.
  expect(spentText(spent, 'minimise', true)).toContain('7 saves, the last better at 10 % of it');
  expect(spentText({ ...spent, score: 3 }, 'maximise')).toContain('the last better after 6.1 s');
});

test('says only what is known', () => {
  expect(spentText({ score: 1 }, 'maximise')).toBe('');
  expect(spentText({ profile: { seconds: 1, functions: [] }, score: 1 }, 'maximise')).toBe('');
  expect(spentText({ profile, saves: { count: 1 }, score: 1 }, 'maximise', true)).toMatch(/; 1 save$/);
  expect(spentText({ saves: { count: 7, scores }, score: 2 }, 'maximise')).toBe('7 saves');
  expect(spentText({ profile, saves: { count: 2, scores: [at(1, null)] }, score: null }, 'maximise')).toMatch(
    /2 saves$/,
  );
  expect(spentText({ profile, saves: { count: 2, scores: [at(null, 5)] }, score: 2 }, 'maximise')).toMatch(/2 saves$/);
});

test('stands before what was printed, and nowhere where output is hidden or could tell of drawn data', () => {
  const evaluation = { outcome: 'valid', stderrTail: '41 climbs\n', score: 1, profile } as const;
  const line = '(measured: linprog 70 %, areas 10 % of its CPU time)';
  expect(printedOf({ direction: 'maximise' }, evaluation)).toBe(`${line}\n41 climbs`);
  expect(printedOf({ direction: 'maximise' }, { ...evaluation, stderrTail: '' })).toBe(line);
  expect(printedOf({ direction: 'maximise' }, { ...evaluation, outcome: 'no_solution' })).toContain(line);
  expect(printedOf({ direction: 'maximise', printed: 0 }, evaluation)).toBe('');
  expect(printedOf({ direction: 'maximise', data: 'drawn' }, { ...evaluation, loadTail: 'ready' })).toBe('ready');
});

test('a limit is told with one decimal where it is short', () => {
  expect([7, 8, 15, 25, 35, 70, 350, 360, 1167].map((cpuSeconds) => timeLimitTold({ cpuSeconds }))).toEqual([
    6, 6.8, 12.8, 21.4, 30, 60, 300, 308, 1000,
  ]);
});
