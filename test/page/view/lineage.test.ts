// The lineage in its window: the views that it begins with, clicks, arrow keys, and how programs look.
import { describe, expect, test } from 'vitest';
import { boxOf, marksOf, type Placed } from '../../../page/api/pictures/lineage-picture.ts';
import { fitsOf } from '../../../page/api/pictures/ranked.ts';
import { firstView, hitAt, isInSight, neighbour, wholeView } from '../../../page/view/lineage/geometry.ts';
import { colouredBy, edgeWords, formOf, isFromAnotherIsland, listedAtFirst } from '../../../page/view/lineage/look.ts';
import { rowsOf } from '../../support/page/rows-of.ts';

const placedAt = (row: number, [x, y]: readonly [number, number], parent: number, children: number[]): Placed => ({
  ...{ x, y, parent, children },
  node: { row, trunk: row < 2, hidden: row === 3 ? 5 : 0, skipped: [], children: [] },
});
/** 0 is the root of 1 to 3, which stand in one column; 1 is on the trunk. */
const PLACED: readonly Placed[] = [
  placedAt(0, [0, 0], -1, [1, 2, 3]),
  placedAt(1, [100, 0], 0, []),
  placedAt(2, [100, 20], 0, []),
  placedAt(3, [100, 40], 0, []),
];
const INKS = { paper: '#fff', text: '#000', soft: '#777', line: '#aaa', accent: '#00f' };
const LOOK = { form: () => 'valid' as const, colour: () => '#123', sign: () => '', words: () => '' };
const MARKS = marksOf(PLACED, { ...LOOK, helped: () => false, moved: () => false }, INKS);
const WINDOW = { width: 400, height: 200 };
const NEAR = { x: 10, y: 10, k: 1 };

describe('the window on a lineage', () => {
  test('shows a small picture whole, in the middle', () => {
    const box = boxOf(PLACED);
    const { x, y, k } = firstView(box, WINDOW);
    expect(k).toBeLessThanOrEqual(1.3);
    expect(x + (box.left + box.width / 2) * k).toBeCloseTo(200);
    expect(y + (box.top + box.height / 2) * k).toBeCloseTo(100);
  });

  test('shows the end of a long picture in a size that can be read, and all of it on request', () => {
    const box = { left: 0, top: 0, width: 10_000, height: 100 };
    expect(firstView(box, WINDOW)).toMatchObject({ k: 0.9, x: 400 - 9_000 });
    expect(wholeView(box, WINDOW)).toMatchObject({ k: 0.04, x: 0 });
  });

  test.each([
    [{ x: 100, y: 100 }, true],
    [{ x: 100, y: 5 }, false],
    [{ x: 900, y: 100 }, false],
  ])('the program at %o is in sight: %s', (place, expected) => {
    expect(isInSight(place, NEAR, WINDOW)).toBe(expected);
  });

  test.each([
    ['a program', { x: 113, y: 12 }, { row: 1, opens: false }],
    ['the count of programs that are hidden', { x: 125, y: 53 }, { row: 3, opens: true }],
    ['nothing', { x: 60, y: 150 }, null],
  ])('a click hits %s', (_, point, hit) => {
    expect(hitAt(MARKS, PLACED, NEAR, point)).toEqual(hit);
  });

  test.each([
    [0, 'ArrowRight', 1],
    [2, 'ArrowLeft', 0],
    [2, 'ArrowUp', 1],
    [2, 'ArrowDown', 3],
    [3, 'ArrowDown', null],
    [3, 'Home', 0],
    [0, 'ArrowLeft', null],
    [0, 'x', null],
  ])('from program %d the key %s goes to %s', (from, key, to) => {
    expect(neighbour(PLACED, PLACED[from]!, key)?.node.row ?? null).toBe(to);
  });
});

describe('programs of a lineage', () => {
  const rows = rowsOf(
    {
      ...{ score: [1, 3, Number.NaN, 2], step: [0, 1, 2, 3], island: [0, 1, 1, 0] },
      ...{ parent: [-1, 0, 1, 1], outcome: [0, 0, 1, 0], flags: [0, 0, 0, 0] },
    },
    { outcomes: ['valid', 'no_solution'] },
  );
  const fits = fitsOf(
    { ...rows, column: { ...rows.column, strictScore: rows.column['score']! } },
    { direction: 'maximise', scoring: 'tolerant' },
  );

  test('have a form by their score, and say when they came from another island', () => {
    expect(formOf(rows, fits, 2)).toBe('failed');
    // The initial program is on every island.
    expect([1, 2, 3].map((row) => isFromAnotherIsland(rows, row))).toEqual([false, false, true]);
  });

  test.each([
    ['outcome', ['valid', 'no solution']],
    ['island', ['island 0', 'island 1']],
  ] as const)('have a legend by %s', (by, names) => {
    const { legend, of } = colouredBy(by, { rows, fits, drawn: [0, 1, 2], sign: 1 });
    expect(legend.map(({ name }) => name)).toEqual(names);
    expect(legend.map(({ colour }) => colour)).toEqual([of(0), of(by === 'island' ? 1 : 2)]);
  });

  test('have whole words on their edges', () => {
    expect(edgeWords('hexagonal grid', 0)).toBe('hexagonal grid');
    expect(edgeWords('a hexagonal grid with shaken centres', 0)).toBe('a hexagonal grid with …');
  });

  test('are listed all where they are few, else the first and the better ones', () => {
    const trunk = Array.from({ length: 40 }, (_, row) => row);
    const scores = Float64Array.from(trunk, (row) => Math.floor(row / 10));
    expect(listedAtFirst(trunk.slice(0, 24), scores)).toHaveLength(24);
    expect(listedAtFirst(trunk, scores)).toEqual([0, 10, 20, 30, 39]);
  });
});
