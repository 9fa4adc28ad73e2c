// A plot as it is read: keys go along its axis, zooming stays within it, and its table is not too long.
import { describe, expect, test } from 'vitest';
import { isZoomed, placeAfter, thinned, zoomedRange } from '../../../page/view/charts/reading.ts';

const X = [0, 10, 20, 30, 40];

test.each([
  ['ArrowRight', null, 0],
  ['ArrowRight', 4, 4],
  ['ArrowLeft', null, 4],
  ['ArrowLeft', 0, 0],
  ['PageUp', 1, 4],
  ['PageDown', 3, 0],
  ['Home', 3, 0],
  ['End', 0, 4],
  ['x', 2, null],
])('the key %s goes from place %s to place %s', (key, at, place) => {
  expect(placeAfter(key, at, 4)).toBe(place);
});

describe('zooming a plot', () => {
  test.each([
    ['around the place that is read', 1, { min: 5, max: 25 }],
    ['around the middle', null, { min: 10, max: 30 }],
  ])('goes %s', (_, at, range) => {
    expect(zoomedRange({ min: 0, max: 40 }, 0.5, X, at)).toEqual(range);
  });

  test('stays within the axis, and says whether all of it is seen', () => {
    const range = zoomedRange({ min: 10, max: 30 }, 4, X, null);
    expect(range).toEqual({ min: 0, max: 40 });
    expect(isZoomed(range!, X)).toBe(false);
    expect(isZoomed({ min: 0, max: 39 }, X)).toBe(true);
    expect(isZoomed({ min: null, max: null }, X)).toBeNull();
  });
});

test('a table has about sixty rows, the last one among them', () => {
  const rows = Array.from({ length: 1_001 }, (_, row) => row);
  const { every, kept } = thinned(rows);
  expect(kept.length).toBeLessThanOrEqual(62);
  expect(kept.slice(0, 2)).toEqual([0, every]);
  expect(kept.at(-1)).toBe(1_000);
  expect(thinned([1, 2]).kept).toEqual([1, 2]);
});
