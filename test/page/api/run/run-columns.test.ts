// The list of runs: what its columns say, the orders of its rows, and the actions on several runs.
import { expect, test } from 'vitest';
import { actionsForMany } from '../../../../page/api/actions/actions.ts';
import { columnOf, columnsFor, listed, type RunColumnName, sortedBy } from '../../../../page/api/run/run-columns.ts';
import type { RunCard } from '../../../../page/api/run/runs.ts';
import { cardOf } from '../../../support/page/cards.ts';

const NOW = Date.parse('2026-11-28T13:10:00.000Z');
const says = (run: RunCard, ...names: readonly RunColumnName[]): readonly string[] =>
  names.map((name) => columnOf(name).of(run, NOW)?.text ?? '–');
const best = (score: number, strictScore: number | null = score, ranking = score) => ({
  best: { program: 'p', score, strictScore, ranking },
});

test('a row says how far the run is, how far it has to go, what it costs, and when it last became better', () => {
  expect(says(cardOf('a'), 'best', 'gap', 'progress', 'left', 'cost', 'improved', 'begun')).toEqual([
    ...['2.4000000', '4.0 %', '10 of 40 steps', '3 h', '$0.50', 'step 8, 2 h ago', '3 h ago'],
  ]);
});

test('of several limits the one that is used up most is the progress, and a budget stands beside the cost', () => {
  const limits = [
    { limit: 'steps', of: 40, spent: 10 },
    { limit: 'costUsd', of: 1, spent: 0.5 },
    { limit: 'noImprovementPrograms', of: 10, spent: 9 },
    { limit: 'targetScore', of: 3, spent: Number.NaN },
  ] as const;
  expect(says(cardOf('a', { limits }), 'progress', 'cost')).toEqual(['$0.50 of $1.00', '$0.50 of $1.00']);
  expect(says(cardOf('a', { limits: [] }), 'progress', 'left')).toEqual(['10 steps', '–']);
});

test('what is not known is a dash: a best before there is one, the end of a run that waits', () => {
  const run = cardOf('a', { best: null, improved: null, rate: null, state: 'paused' });
  expect(says(run, 'best', 'gap', 'left', 'improved', 'trend')).toEqual(['–', '–', '–', '–', '–']);
  const first = { step: 0, at: '2026-11-28T12:00:00.000Z' };
  expect(says(cardOf('a', { improved: first }), 'improved')).toEqual(['–']);
});

test('the gap is to the best known value, by the score that this one means, in the direction of the task', () => {
  const { known } = cardOf('a');
  const strict = { ...known!, bestKnown: { value: 2.5, strict: true, source: null } };
  const least = { ...known!, direction: 'minimise' as const };
  expect(says(cardOf('a', { known: strict, ...best(2.5, 2.25) }), 'gap')).toEqual(['10.0 %']);
  expect(says(cardOf('a', { known: least, ...best(2.25) }), 'gap')).toEqual(['10.0 % better']);
  expect(says(cardOf('a', best(2.5)), 'gap')).toEqual(['reached']);
  expect(says(cardOf('a', { known: { ...known!, bestKnown: null, paper: 3 } }), 'gap')).toEqual(['20.0 %']);
});

test('the second score stands there only where it is another number', () => {
  expect(columnOf('cost').of(cardOf('a', { priced: false, paid: { tokens: 5, costUsd: 0 } }), NOW)).toBeNull();
  const also = (run: RunCard) => columnOf('best').of(run, NOW)?.also ?? null;
  expect(also(cardOf('a'))).toBeNull();
  expect(also(cardOf('a', best(2.4, null)))).toBeNull();
  expect(also(cardOf('a', best(2.4, 2.4 - 1e-12)))).toBeNull();
  expect(also(cardOf('a', best(2.4, 2.3)))).toBe('strict 2.3');
  expect(also(cardOf('a', best(2.4, 2.3, 2.3)))).toBe('tolerant 2.4');
});

const urgent = { next: { urgent: true, what: 'needs attention' }, state: 'needs attention' } as const;
const RUNS = [
  cardOf('ended', { state: 'finished', createdAt: '2026-11-28T12:00:00.000Z', ...best(2.1) }),
  cardOf('old', { createdAt: '2026-11-27T10:00:00.000Z', ...best(2.3) }),
  cardOf('parked', { ...urgent, best: null }),
  cardOf('new', { createdAt: '2026-11-28T11:00:00.000Z', ...best(2.2) }),
];
const ALL = { text: '', state: '', sort: 'state', descending: false } as const;
const names = (runs: readonly RunCard[]): readonly string[] => runs.map(({ run }) => run);

test('what needs a person comes first, then what is open, the newest first', () => {
  expect(names(listed(RUNS, ALL))).toEqual(['parked', 'new', 'old', 'ended']);
});

test('a title sorts by its column, a second click reverses it, and what has no value stays last', () => {
  const down = sortedBy('best', ALL);
  expect(down).toEqual({ sort: 'best', descending: true });
  expect(names(listed(RUNS, { ...ALL, ...down }))).toEqual(['old', 'new', 'ended', 'parked']);
  expect(names(listed(RUNS, { ...ALL, ...sortedBy('best', down) }))).toEqual(['ended', 'new', 'old', 'parked']);
  expect(names(listed(RUNS, { ...ALL, sort: 'run' }))).toEqual(['ended', 'new', 'old', 'parked']);
});

test('words and states choose runs', () => {
  expect(names(listed(RUNS, { ...ALL, text: ' PARKED  theta ' }))).toEqual(['parked']);
  expect(names(listed(RUNS, { ...ALL, state: 'attention' }))).toEqual(['parked']);
  expect(names(listed(RUNS, { ...ALL, state: 'ended' }))).toEqual(['ended']);
});

test('the task is a column where there are several', () => {
  expect(columnsFor(RUNS)).not.toContain('task');
  expect(columnsFor([...RUNS, cardOf('b', { task: 'hexagons' })])).toContain('task');
});

test('an action on several runs is for those for which it makes sense, and says why not for the others', () => {
  const of = (verb: string) => actionsForMany(RUNS).find((one) => one.verb === verb);
  expect(names(of('pause')!.on)).toEqual(['old', 'parked', 'new']);
  expect(of('pause')!.leftAlone).toEqual(['ended is left alone: it is finished']);
  expect(names(of('retry')!.on)).toEqual(['parked']);
  expect(actionsForMany(RUNS.slice(0, 1)).map(({ verb }) => verb)).not.toContain('pause');
});

test('marks of people are a column where there are some: starred runs first, and found by their label', () => {
  const mark = (star: boolean, label: string | null) => ({
    mark: { star, label, note: null, by: { name: 'mia', from: 'page' as const }, at: '2026-11-28T10:00:00.000Z' },
  });
  const runs = [cardOf('plain'), cardOf('labelled', mark(false, 'baseline')), cardOf('starred', mark(true, null))];
  expect(columnsFor(runs.slice(0, 1))).not.toContain('mark');
  expect(columnsFor(runs)).toContain('mark');
  const order = { sort: 'mark', descending: false, state: '' } as const;
  expect(listed(runs, { ...order, text: '' }).map(({ run }) => run)).toEqual(['starred', 'labelled', 'plain']);
  expect(listed(runs, { ...order, text: 'baseline' }).map(({ run }) => run)).toEqual(['labelled']);
  expect(says(runs[2]!, 'mark')).toEqual(['★']);
});
