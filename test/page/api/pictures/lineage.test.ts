// Whatever a picture of a lineage leaves out, it says how much, and every program can be reached.
import { describe, expect, test } from 'vitest';
import { rng } from '../../../../evolution/rng.ts';
import { type Drawn, drawnTree, kinOf, trunkTo, type Wish } from '../../../../page/api/pictures/lineage.ts';
import {
  boxOf,
  type Inks,
  type Look,
  marksOf,
  placedIn,
  svgOf,
} from '../../../../page/api/pictures/lineage-picture.ts';

/** A run's parents: mostly recent programs, a few roots. */
const parents = (rows: number, seed: number): Int32Array => {
  const random = rng(seed, 'lineage');
  return Int32Array.from({ length: rows }, (_, row) =>
    row === 0 || random.next() < 0.01 ? -1 : random.next() < 0.5 ? row - 1 : random.int(row),
  );
};

const wish = (parent: ArrayLike<number>, more: Partial<Wish> = {}): Wish => ({
  parent,
  of: parent.length - 1,
  whole: true,
  opened: new Set(),
  most: 5_000,
  marked: [],
  weight: () => 0,
  ...more,
});

/** Parents before children. */
const drawnIn = (root: Drawn): readonly Drawn[] => {
  const all: Drawn[] = [root];
  for (const one of all) for (const child of one.children) all.push(child);
  return all;
};

/** Programs that are drawn, that an edge runs over, or that are counted as hidden. */
const counted = (root: Drawn): number =>
  drawnIn(root).reduce((sum, { row, hidden, skipped }) => sum + (row < 0 ? 0 : 1) + hidden + skipped.length, 0);

describe('the tree that is drawn', () => {
  test.each([1, 2, 3, 4])('counts every program once, drawn or not (seed %i)', (seed) => {
    const parent = parents(800, seed);
    for (const most of [10, 100, 5_000]) expect(counted(drawnTree(wish(parent, { most }))!)).toBe(800);
  });

  test('every program can be reached by opening what is closed', () => {
    const parent = parents(600, 5);
    const opened = new Set<number>();
    const seen = new Set<number>();
    for (let round = 0; round < 100 && seen.size < 600; round++) {
      for (const { row, hidden, skipped } of drawnIn(drawnTree(wish(parent, { most: 20, opened }))!)) {
        seen.add(row);
        if (hidden > 0) opened.add(row);
        if (skipped.length > 0) opened.add(skipped[0]!);
      }
      seen.delete(-1);
    }
    expect(seen.size).toBe(600);
  });

  test('a run of single children is one edge, and a record in it stands by itself', () => {
    const parent = Int32Array.from({ length: 20 }, (_, row) => row - 1);
    const rows = (root: Drawn): readonly number[] => drawnIn(root).map(({ row }) => row);
    expect(rows(drawnTree(wish(parent))!)).toEqual([0, 19]);
    expect(rows(drawnTree(wish(parent, { marked: [9] }))!)).toEqual([0, 9, 19]);
    const whole = drawnTree(wish(parent, { opened: new Set([1]) }))!;
    expect(rows(whole)).toEqual([...Array(20).keys()]);
  });

  test('the family of a program is its ancestors and the branches beside them', () => {
    // 0 -> 1 -> 2, and 0 -> 3 -> 4.
    const family = drawnTree(wish([-1, 0, 1, 0, 3], { of: 2, whole: false }))!;
    expect(drawnIn(family).map(({ row, hidden }) => [row, hidden])).toEqual([
      [0, 0],
      [1, 0],
      [3, 1],
      [2, 0],
    ]);
    expect(trunkTo([-1, 0, 1, 0, 3], 2)).toEqual([0, 1, 2]);
  });

  test('holds 100,000 programs to what can be drawn, with the trunk whole', () => {
    const parent = parents(100_000, 7);
    const root = drawnTree(wish(parent, { most: 4_000 }))!;
    const all = drawnIn(root);
    expect(all.length).toBeLessThan(8_000);
    const reached = new Set(all.flatMap(({ row, skipped }) => [row, ...skipped]));
    expect(trunkTo(parent, 99_999).every((row) => reached.has(row))).toBe(true);
    expect(counted(root)).toBe(100_000);
  });

  test('a parent that comes later is no parent', () => {
    expect(kinOf([1, 0, 5, -1]).roots).toEqual([0, 2, 3]);
  });
});

describe('the picture', () => {
  const inks: Inks = { paper: '#fff', text: '#000', soft: '#555', line: '#ccc', accent: '#00f' };
  const look: Look = {
    form: () => 'valid',
    colour: () => '#123456',
    helped: () => false,
    moved: () => false,
    sign: () => '',
    words: () => '',
  };
  test('has each program at a place of its own, children right of their parent', () => {
    const placed = placedIn(drawnTree(wish(parents(2_000, 9)))!, { across: 60, down: 16 });
    expect(new Set(placed.map(({ x, y }) => `${x} ${y.toFixed(2)}`)).size).toBe(placed.length);
    for (const { x, parent } of placed) if (parent >= 0) expect(x).toBeGreaterThan(placed[parent]!.x);
  });

  test('as a file has texts of models as text', () => {
    const placed = placedIn(drawnTree(wish([-1, 0]))!, { across: 60, down: 16 });
    const hostile = { ...look, words: () => '<script>alert(1)</script>"&\u001b' };
    const svg = svgOf(marksOf(placed, hostile, inks), boxOf(placed), inks, 'a & b');
    expect(svg).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;\\u{1B}');
    expect(svg).not.toContain('<script');
  });
});
