// The list of runs in a browser's terms: which runs are ticked, the line of the best, and what is worth a notice.
import { expect, test } from 'vitest';
import { askEach } from '../../../page/view/actions/asking.ts';
import type { Source } from '../../../page/view/base/source.ts';
import { setSource } from '../../../page/view/base/state.ts';
import { RunNews } from '../../../page/view/runs/notices.ts';
import { tick, ticked, ticks } from '../../../page/view/runs/selection.ts';
import { trendLine } from '../../../page/view/runs/trend.ts';
import { cardOf } from '../../support/page/cards.ts';

test('runs are ticked one by one and all at once, and those out of sight keep their tick', () => {
  tick(['a'], true);
  expect(ticked(['a', 'b'])).toBe('some');
  tick(['b', 'c'], true);
  expect([ticked(['b', 'c']), ticked([])]).toEqual(['all', 'none']);
  tick(['b', 'c'], false);
  expect([...ticks.value]).toEqual(['a']);
});

test('the best holds until the next one; one that never changed is a level line', () => {
  const line = (last: number, ...bests: readonly number[]) =>
    trendLine(bests.map((best, index) => [(last * index) / Math.max(1, bests.length - 1), best]));
  expect(line(10, 1, 2, 3)).toBe('M0,22H50V12H100V2H100');
  expect(line(0, 1)).toBe('M0,12H100');
  expect(line(4, 1, 1)).toBe('M0,12H100V12H100');
});

const MINUTE = 60_000;
const best = (ranking: number) => ({
  best: { program: String(ranking), score: ranking, strictScore: null, ranking },
});
const titles = (news: RunNews, ms: number, ...runs: Parameters<RunNews['since']>[0][]) =>
  runs.flatMap((all) => news.since(all, ms).map(({ title }) => title));

test('the first look tells nothing; then a run that needs a person, has ended or is better is told once', () => {
  const news = new RunNews();
  const parked = { next: { urgent: true, what: 'the model does not answer' } };
  expect(titles(news, 0, [cardOf('a', parked), cardOf('b')])).toEqual([]);
  expect(titles(news, 0, [cardOf('a', parked), cardOf('b', parked)])).toEqual(['b needs a person']);
  expect(titles(news, 0, [cardOf('a'), cardOf('b', parked)])).toEqual([]);
  const ended = cardOf('a', { state: 'finished', stopReason: 'steps', ...best(9) });
  expect(news.since([ended], 0)).toEqual([{ run: 'a', title: 'a has ended', text: 'finished by its limit of steps' }]);
  expect(titles(news, MINUTE, [ended])).toEqual([]);
});

test('bests are told every ten minutes at most, the last one of a while then', () => {
  const news = new RunNews();
  news.since([cardOf('a', best(1))], 0);
  expect(titles(news, MINUTE, [cardOf('a', best(2))])).toEqual(['a has a new best']);
  expect(titles(news, 2 * MINUTE, [cardOf('a', best(3))], [cardOf('a', best(3))])).toEqual([]);
  expect(news.since([cardOf('a', best(3))], 11 * MINUTE)).toEqual([
    { run: 'a', title: 'a has a new best', text: '3 in step 8' },
  ]);
  expect(titles(news, 60 * MINUTE, [cardOf('a', best(3))])).toEqual([]);
});

test('a rewind to a worse best is no news, and what is better behind it is', () => {
  const news = new RunNews();
  news.since([cardOf('a', best(5))], 0);
  expect(titles(news, MINUTE, [cardOf('a', best(2))], [cardOf('a', best(3))])).toEqual(['a has a new best']);
});

test('a run that is begun while one looks is told of when it needs a person or has ended', () => {
  const news = new RunNews();
  news.since([], 0);
  expect(titles(news, 0, [cardOf('a', best(1))])).toEqual([]);
  expect(titles(news, 0, [cardOf('a', { state: 'stopped', stopReason: 'enough' })])).toEqual(['a has ended']);
});

test('an action on several runs is asked for each by a name of its own, and one that refuses holds up no other', async () => {
  const asked: object[] = [];
  const act = async (_: string, body: { readonly run: string }) => {
    asked.push(body);
    if (body.run === 'b') throw new Error('it is finished');
    return { text: `${body.run}: pauses`, run: body.run, warnings: [], problems: [], plan: null };
  };
  setSource({ act } as unknown as Source);
  const done = await askEach('pause', { run: 'a', mode: 'now' }, ['a', 'b', 'c'], 'asking');
  expect(asked).toEqual(['a', 'b', 'c'].map((run, index) => ({ run, mode: 'now', request: `asking-${index}` })));
  expect([done.text, done.warnings]).toEqual(['a: pauses; c: pauses', ['b: it is finished']]);
  await expect(askEach('pause', { run: 'b' }, ['b'])).rejects.toThrow('b: it is finished');
});
