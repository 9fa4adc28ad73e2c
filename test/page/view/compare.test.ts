// Runs side by side: the runs that are compared, their lines, and their values in words.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ComparedGroup } from '../../../page/api/run/compare.ts';
import type { RunReport } from '../../../page/api/run/runs.ts';
import { chosenOf, leader, linesOf, valueAt } from '../../../page/view/runs/groups.ts';
import { cutTo, spread } from '../../../page/view/charts/line-ends.ts';
import { colourOf, dashOf } from '../../../page/view/base/ink.ts';
import { axisOf } from '../../../page/view/charts/axis.ts';

const run = (name: string, task: string): RunReport =>
  ({ run: name, task, steps: 10, best: { ranking: 1 }, state: 'finished', createdAt: '2026-01-01' }) as RunReport;
const RUNS = [run('a', 'circles'), run('b', 'circles'), run('c', 'heilbronn')];
const query = (text: string): URLSearchParams => new URLSearchParams(text);

const HEILBRONN = { task: 'heilbronn', byItself: false };
test.each([
  ['those that are named, with the task of the first', 'runs=c,a', { ...HEILBRONN, chosen: ['c', 'a'] }],
  ['none where somebody chose none', 'task=heilbronn&none=1', { ...HEILBRONN, chosen: [] }],
])('the runs that are compared are %s', (_, text, expected) => {
  expect(chosenOf(RUNS, query(text), false)).toMatchObject(expected);
});

test('a file compares all runs of a task', () => {
  expect(chosenOf(RUNS, query('task=circles'), true)).toMatchObject({ chosen: ['a', 'b'], byItself: true });
});

test.each([
  ['tokens', 'tokens'],
  [null, 'programs'],
  ['nonsense', 'programs'],
  ['__proto__', 'programs'],
])('the axis %s is that of %s', (name, axis) => {
  expect(axisOf(name)).toBe(axis);
});

const point = (mean: number | null, sd: number | null = null, n = 2) => ({ mean, sd, n });
const group = (label: string, runs: readonly string[], programs: readonly object[], mean: number | null = null) =>
  ({ label, name: label, runs, at: { programs }, final: { mean, sd: null } }) as unknown as ComparedGroup;
const SEEDS = group('seeds', ['a', 'b'], [point(1.23456789, 0.0123), point(2, null, 1), point(null)], 2);

describe('a group', () => {
  test.each([
    [0, '1.234568 ± 0.012'],
    [1, '2 (1 runs)'],
    [2, 'ended before'],
  ])('at checkpoint %d reads %s', (place, text) => {
    expect(valueAt(SEEDS, 'programs', place)).toBe(text);
  });

  test('that had no program yet says so', () => {
    expect(valueAt(group('late', ['a'], [point(null)]), 'programs', 0)).toBe('none');
  });

  test('of several runs has a tint between its borders, and its name at the end of its line', () => {
    const others = Array.from({ length: 8 }, (_, index) => group(String(index), ['a'], []));
    const lines = linesOf([SEEDS, ...others], 'programs');
    expect(lines).toHaveLength(27);
    expect(lines[0]).toMatchObject({ colour: '--s0', band: [1, 2] });
    expect(lines[3]).not.toHaveProperty('band');
    expect(lines[0]).toMatchObject({ end: 'seeds', dash: [] });
    expect(lines[1]).not.toHaveProperty('end');
  });
});

test.each([
  ['the highest mean', 'maximise', [1, 3, null], 3],
  ['the lowest mean where less is better', 'minimise', [1, 3, null], 1],
  ['nobody where there is one group', 'maximise', [1], null],
  ['nobody without a score', 'maximise', [null, null], null],
] as const)('%s leads', (_, direction, means, best) => {
  const groups = means.map((mean) => ({ final: { mean } }) as ComparedGroup);
  expect(leader(groups, direction)).toBe(best);
});

test('names at the ends of lines never overlap, stay within the plot, and keep the order of the lines', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -50, max: 350 }), { maxLength: 21 }), (heights) => {
      const at = spread(heights, [0, 300], 14)!;
      const sorted = [...at.keys()].sort((a, b) => at[a]! - at[b]!);
      for (const [place, index] of sorted.entries()) {
        expect(at[index]).toBeGreaterThanOrEqual(0);
        expect(at[index]).toBeLessThanOrEqual(300);
        if (place === 0) continue;
        expect(at[index]! - at[sorted[place - 1]!]!).toBeGreaterThanOrEqual(14);
        expect(heights[index]).toBeGreaterThanOrEqual(heights[sorted[place - 1]!]!);
      }
    }),
  );
  expect(cutTo('batch=4 responses=2', 12)).toBe('ba…=4 re…=2');
  expect(cutTo('batch=2 responses=2', 12)).toBe('ba…=2 re…=2');
  expect(cutTo('circles-first-try', 12)).toBe('circle…t-try');
  expect(cutTo('batch=4', 12)).toBe('batch=4');
  expect(spread([10, 100], [0, 300], 14)).toEqual([10, 100]);
  const many = Array.from({ length: 40 }, () => 1);
  expect(spread(many, [0, 300], 14)).toBeNull();
});

test('the lines of groups are told apart by colour and by dashes', () => {
  const signs = Array.from({ length: 32 }, (_, index) => `${colourOf(index)} ${dashOf(index).join()}`);
  expect(new Set(signs).size).toBe(32);
});
