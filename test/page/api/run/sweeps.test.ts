// The matrix of a sweep: every run has its place, and colours follow the direction of the task.
import { expect, test } from 'vitest';
import { bandOf } from '../../../../page/api/run/compare.ts';
import { heatOf, matrixOf } from '../../../../page/api/run/sweeps.ts';

const run = (group: number, seed: number, best: number | null) => ({
  ...{ run: `s-${group}-${seed}`, group, seed, repeat: 0, state: 'finished', stopReason: null, best },
  ...{ programs: 1, tokensIn: 0, tokensOut: 0, costUsd: 0 },
});
const group = (number: number) => ({
  ...{ group: number, params: { batch: number }, runs: 2, mean: 1, sd: null, best: 1, bestRun: null },
  ...{ programs: 2, tokensIn: 0, tokensOut: 0, costUsd: 0, states: {} },
});

test('rows are configurations in the order of the report, columns are seeds', () => {
  const { columns, rows } = matrixOf({
    groups: [group(1), group(0)],
    runs: [run(0, 7, 1), run(0, 3, 2), run(1, 3, null)],
  });
  expect(columns.map(({ seed }) => seed)).toEqual([3, 7]);
  expect(rows.map(({ cells }) => cells.map((cell) => cell?.run ?? null))).toEqual([
    ['s-1-3', null],
    ['s-0-3', 's-0-7'],
  ]);
});

test('the best is warmest, whichever direction is better', () => {
  expect(heatOf(2, [1, 2, null], 'maximise')).toBe(1);
  expect(heatOf(2, [1, 2, null], 'minimise')).toBe(0);
  expect(heatOf(1, [1], 'minimise')).toBe(1);
  expect(heatOf(null, [1], 'maximise')).toBeNull();
});

test('a group of one run has a band without a width', () => {
  const at = {
    programs: [
      { n: 1, mean: 2, sd: null },
      { n: 0, mean: null, sd: null },
      { n: 2, mean: 3, sd: 1 },
    ],
    tokens: [],
    costUsd: [],
    seconds: [],
  };
  expect(bandOf({ at }, 'programs')).toEqual({ mean: [2, null, 3], low: [2, null, 2], high: [2, null, 4] });
});
