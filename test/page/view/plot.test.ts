// A plot as it is read: keys go along its axis, zooming stays within it, its table is not too long, its numbers are whole
// where things are counted, no two of its texts overlap, and its files hold what it shows.
import { describe, expect, test } from 'vitest';
import { pointsOf, svgOf } from '../../../page/view/charts/files.ts';
import { signsOf } from '../../../page/view/charts/signs.ts';
import type { Drawing, Frame } from '../../../page/view/charts/types.ts';
import { logTicks, ticksBetween } from '../../../page/view/charts/ticks.ts';
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

describe('the numbers at an axis', () => {
  test.each([
    ['whole ones of what is counted', [0, 24], 10, 'whole', [0, 5, 10, 15, 20]],
    ['no nearer than one', [0, 3], 10, 'whole', [0, 1, 2, 3]],
    ['round ones of what is measured', [0, 0.31], 4, 'decimal', [0, 0.1, 0.2, 0.3]],
    ['those of a clock', [0, 200], 8, 'seconds', [0, 30, 60, 90, 120, 150, 180]],
  ] as const)('are %s', (_, range, most, steps, ticks) => {
    expect(ticksBetween(range, most, steps)).toEqual(ticks);
  });

  test('of a logarithmic one are powers of ten, or more where these are few', () => {
    expect(logTicks([0.0005, 20])).toEqual([0.001, 0.01, 0.1, 1, 10]);
    expect(logTicks([0.8, 4])).toEqual([1, 2]);
  });
});

const FRAME: Frame = {
  ...{ left: 50, top: 10, width: 300, height: 200, across: 380, x: [0, 100], y: [1, 2] },
  placeX: (value) => 50 + 3 * value,
  placeY: (value) => 210 - 200 * (value - 1),
};
const level = (value: number) => ({ value, name: `level ${value}`, colour: '--s2' });
const textsOf = (signs: ReturnType<typeof signsOf>) => signs.filter((sign) => sign.kind === 'text');

describe('what stands beside the lines', () => {
  test('overlaps nowhere, however near marks and levels are', () => {
    const marks = [10, 11, 12, 13, 60, 61, 62, 99].map((x) => ({ x, name: `settings ${x}` }));
    const texts = textsOf(signsOf({ lines: [], x: [], levels: [level(1.01), level(1.02), level(1.5)], marks }, FRAME));
    expect(texts.length).toBeGreaterThan(8);
    const boxes = texts.map(({ x, y, text, anchor }) => {
      const width = 6.6 * text.length;
      return { left: anchor === 'start' ? x : x - width, right: anchor === 'start' ? x + width : x, y };
    });
    for (const [index, a] of boxes.entries())
      for (const b of boxes.slice(0, index))
        expect(a.right <= b.left || a.left >= b.right || Math.abs(a.y - b.y) >= 12, JSON.stringify([a, b])).toBe(true);
  });

  test('says where a value lies that is far away', () => {
    const texts = textsOf(signsOf({ lines: [], x: [], levels: [level(2.6), level(0.2)] }, FRAME));
    expect(texts.map(({ text }) => text)).toEqual(['↑ level 2.6', '↓ level 0.2']);
  });
});

describe('the files of a plot', () => {
  const drawing: Drawing = {
    ...{ kind: 'test', x: [0, 10, 20], xText: String, xTitle: 'programs', yText: String, yTitle: 'score <&>' },
    lines: [
      { name: 'best', colour: '--s0', values: [null, 1, 2] },
      { name: 'best', colour: '--s0', values: [null, 1, null], as: 'points' },
      { name: 'share', colour: '--s1', values: [0.1, 0.2, 0.3], as: 'straight', filled: true, striped: true },
    ],
    levels: [level(2)],
  };

  test('are a picture with its title, axes, lines and signs', () => {
    const { svg } = svgOf({ ...drawing, title: 'Best of <all>' }, { width: 600, x: [0, 20], colour: (name) => name });
    expect(svg).toContain('<title>Best of &lt;all&gt;</title>');
    for (const text of ['>programs<', '>score &lt;&amp;&gt;<', '>level 2<', '<circle', '<pattern', '<polyline'])
      expect(svg).toContain(text);
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  test('are its points, a row for each place', () => {
    expect(pointsOf(drawing)).toBe('programs,best,share\r\n0,,0.1\r\n10,1,0.2\r\n20,2,0.3\r\n');
  });
});
