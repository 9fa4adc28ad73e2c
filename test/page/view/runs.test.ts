// The list of runs in a browser's terms: which runs are ticked, the line of the best, and what is worth a notice.
import { expect, test } from 'vitest';
import { askEach } from '../../../page/view/actions/asking.ts';
import type { Source } from '../../../page/view/base/source.ts';
import { setSource } from '../../../page/view/base/state.ts';
import { RunNews } from '../../../page/view/runs/notices.ts';
import { ticked, withTicks } from '../../../page/view/runs/selection.ts';
import { trendLine } from '../../../page/view/runs/trend.ts';
import { cardOf } from '../../support/page/cards.ts';

test('runs are ticked one by one and all at once, and those out of sight keep their tick', () => {
  const one = withTicks(new Set(), ['a'], true);
  expect(ticked(one, ['a', 'b'])).toBe('some');
  const all = withTicks(one, ['b', 'c'], true);
  expect([ticked(all, ['b', 'c']), ticked(all, [])]).toEqual(['all', 'none']);
  expect([...withTicks(all, ['b', 'c'], false)]).toEqual(['a']);
});

test('the best holds until the next one; one that never changed is a level line', () => {
  expect(
    trendLine([
      [0, 1],
      [5, 2],
      [10, 3],
    ]),
  ).toBe('0,22 50,22 50,12 100,12 100,2');
  expect(trendLine([[0, 1]])).toBe('0,12 100,12');
  expect(
    trendLine([
      [0, 1],
      [4, 1],
    ]),
  ).toBe('0,12 100,12 100,12');
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

test('a run that is near a limit on what is paid is told once', () => {
  const news = new RunNews();
  const spent = (costUsd: number) => cardOf('a', { limits: [{ limit: 'costUsd', of: 10, spent: costUsd }] });
  news.since([spent(7)], 0);
  expect(news.since([spent(8.2)], 0)).toEqual([
    { run: 'a', title: 'a is near a limit', text: '82 % of its limit on cost is spent, $8.20 of $10.00' },
  ]);
  expect(titles(news, MINUTE, [spent(9)])).toEqual([]);
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
