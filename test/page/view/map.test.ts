// The map as it is looked at: its axes, the numbers beside them, the cell under a finger, and a cell in words.
import { describe, expect, test } from 'vitest';
import type { Bins, MapAxis } from '../../../page/api/pictures/map.ts';
import { beyondScore, cellAt, cellName, chosenAxes, textOf, ticksOf } from '../../../page/view/map/cells.ts';

const axisOf = (feature: string, more: Partial<MapAxis> = {}): MapAxis =>
  ({ feature, index: -1, scale: 'linear', bins: 4, ...more }) as MapAxis;
const binsOf = (axis: MapAxis, borders: readonly number[]): Bins => ({ axis, borders, at: new Float64Array() });
const LENGTH = axisOf('length');
const SCORE = axisOf('score');
const ISLAND = axisOf('island', { bins: 3, fixed: [-0.5, 2.5] });
const [x, y] = [binsOf(LENGTH, [0, 100, 200, 300, 400]), binsOf(SCORE, [-2, -1.5, -1, -0.5, 0])];
const GRID = { x, y, cells: { count: 16, of: new Int32Array(), points: null } };
const PLACES = [[0.25, 0.25] as const, [0.75, 1] as const];
const POINTS = { x, y, cells: { count: 2, of: new Int32Array(), points: PLACES } };
const PLACE = { left: 10, top: 20, width: 100, height: 100 };

describe('the axes', () => {
  const axes = [SCORE, LENGTH, ISLAND];
  test.each([
    ['features beyond the score, which the colour says', [null, null], ['length', 'island']],
    ['those that are named', ['island', 'score'], ['island', 'score']],
    ['never the same twice by itself', ['length', null], ['length', 'island']],
    ['the usual ones for an unknown name', ['nonsense', null], ['length', 'island']],
  ] as const)('are %s', (_, named, expected) => {
    expect(chosenAxes(axes, named, beyondScore(axes)).map(({ feature }) => feature)).toEqual(expected);
  });

  test('are the first two where each program stands by itself, and never one with a single place', () => {
    expect(chosenAxes(axes, [null, null])).toEqual([SCORE, LENGTH]);
    expect(beyondScore([SCORE, axisOf('island', { bins: 1 }), axisOf('reward'), LENGTH])).toEqual([LENGTH]);
  });

  const QUANTILES = binsOf(axisOf('gap', { scale: 'quantile' }), [0, 0.1, 0.7, 2, 9]);
  test.each([
    ['round numbers', binsOf(LENGTH, [3, 0, 0, 0, 398]), 5, [100, 200, 300]],
    ['whole numbers of what is counted', binsOf(LENGTH, [0, 1, 2, 3, 4]), 20, [0, 1, 2, 3, 4]],
    ['the borders of quantiles', QUANTILES, 10, [0, 0.1, 0.7, 2, 9]],
    ['fewer borders where there is no room', QUANTILES, 2, [0, 0.7, 9]],
    ['whole numbers in the middles of their bins', binsOf(ISLAND, [-0.5, 0.5, 1.5, 2.5]), 10, [0, 1, 2]],
  ])('have %s', (_, bins, room, values) => {
    expect(ticksOf(bins, room).map(({ value }) => value)).toEqual(values);
  });

  test.each([
    [SCORE, -1, -1.5, '1.5'],
    [LENGTH, 1, 12_345, '12.3 k'],
    [axisOf('metric:mean-gap'), 1, 0.123_456, '0.123'],
  ] as const)('of %o write values', (axis, sign, value, text) => {
    expect(textOf(axis, sign)(value)).toBe(text);
  });
});

describe('a cell', () => {
  test.each([
    ['the first', GRID, [11, 119], 0],
    ['the last', GRID, [109, 21], 15],
    ['none outside of the map', GRID, [5, 50], -1],
    ['the nearest point', POINTS, [80, 30], 1],
  ] as const)('under a finger is %s', (_, grid, point, cell) => {
    expect(cellAt(grid, PLACE, point)).toBe(cell);
  });

  test('is named by the ranges of its bins, or by the values around it', () => {
    expect(cellName(GRID, 5, -1)).toBe('length 100 to 200, score 1.5 to 1');
    expect(cellName(POINTS, 0, 1)).toBe('cell 0 around length 100, score -1.5');
  });
});
