// The map of cells holds what a plain look at all programs up to a step finds, however one got to that step; and its
// cells are those of the archive.
import { describe, expect, test } from 'vitest';
import { axesOf as archiveAxes, spaceOf } from '../../../../evolution/archives/cell-space.ts';
import { tessellationOf } from '../../../../evolution/archives/tessellation.ts';
import { rng } from '../../../../evolution/rng.ts';
import { bordersOf, levelOf, LEVELS } from '../../../../page/api/pictures/ranked.ts';
import {
  axesOf,
  beside,
  type Bins,
  binsOf,
  centroidCells,
  curveOf,
  gridCells,
  heldIn,
  MapFold,
  roundTicks,
  type MapRows,
} from '../../../../page/api/pictures/map.ts';

const ROWS = 3_000;
const STEPS = 60;
const random = rng(11, 'map');
const columns = {
  score: Float64Array.from({ length: ROWS }, () => (random.next() < 0.3 ? Number.NaN : 2 * random.next())),
  length: Uint32Array.from({ length: ROWS }, () => 100 + random.int(4_000)),
  cpu: Float64Array.from({ length: ROWS }, () => (random.next() < 0.1 ? Number.NaN : random.next() ** 3)),
  island: Uint16Array.from({ length: ROWS }, () => random.int(4)),
  step: Uint32Array.from({ length: ROWS }, (_, row) => Math.floor((row * (STEPS + 1)) / ROWS)),
};
const counts = (row: number): boolean => !Number.isNaN(columns.score[row]!);
const features = [{ name: 'score', bins: 7 }, { name: 'cpu', scale: 'quantile' }, 'length'] as const;
const population = { map: 'grid', cells: 40, features, bins: 9 } as unknown as Parameters<typeof spaceOf>[0];
const axes = archiveAxes(population);
const traits = { archive: { map: 'grid', axes, centroids: null }, islands: 4 } as const;
const chosen = axesOf(traits, STEPS);
const binned = (feature: keyof typeof columns): Bins =>
  binsOf(
    chosen.find((axis) => axis.feature === feature)!,
    columns[feature],
    counts,
  );

const rowsOf = (only: number | null): MapRows => ({
  cells: gridCells(binned('score'), binned('length')),
  fit: columns.score,
  step: columns.step,
  island: columns.island,
  only,
});

const naive = ({ cells, fit, step, island, only }: MapRows, last: number) => {
  const best = Array.from({ length: cells.count }, () => -1);
  const held = Array.from({ length: cells.count }, () => 0);
  for (let row = 0; row < ROWS; row++) {
    const cell = cells.of[row]!;
    if (step[row]! > last || cell < 0 || Number.isNaN(fit[row]!) || (only !== null && island[row] !== only)) continue;
    held[cell]! += 1;
    if (best[cell] === -1 || fit[row]! > fit[best[cell]!]!) best[cell] = row;
  }
  return { best, held };
};

describe('the fold', () => {
  test.each([null, 2])('holds what a plain look finds, wherever the slider comes from (island %s)', (only) => {
    const rows = rowsOf(only);
    const fold = new MapFold(rows);
    for (const step of [0, 3, 40, 17, 18, STEPS, 5]) {
      const { best, held } = naive(rows, step);
      fold.to(step);
      expect([...fold.best]).toEqual(best);
      expect([...fold.held]).toEqual(held);
      const elites = best.filter((row) => row >= 0);
      expect(fold.covered).toBe(elites.length);
      expect(fold.sum).toBeCloseTo(
        elites.reduce((sum, row) => sum + rows.fit[row]!, 0),
        8,
      );
    }
  });

  test('the curve is that of the map at each step, and never falls', () => {
    const rows = rowsOf(null);
    const { covered, quality } = curveOf(rows, STEPS, 0);
    expect(covered[20]).toBe(new MapFold(rows).to(20).covered);
    for (let step = 1; step <= STEPS; step++) {
      expect(covered[step]!).toBeGreaterThanOrEqual(covered[step - 1]!);
      expect(quality[step]! + 1e-9).toBeGreaterThanOrEqual(quality[step - 1]!);
    }
  });

  test('lists the programs of a cell, best first', () => {
    const rows = rowsOf(null);
    const cell = rows.cells.of[columns.score.findIndex((value) => !Number.isNaN(value))]!;
    const { best, held } = naive(rows, STEPS);
    const listed = heldIn(rows, cell, STEPS, 1_000);
    expect([listed[0], listed.length]).toEqual([best[cell], held[cell]]);
  });
});

describe('the cells', () => {
  const bounds = (values: ArrayLike<number>): [number, number] => {
    const known = Array.from(values).filter((value, row) => counts(row) && Number.isFinite(value));
    return [Math.min(...known), Math.max(...known)];
  };
  const state = {
    bounds: { score: bounds(columns.score), length: bounds(columns.length) },
    edges: { cpu: binned('cpu').borders.slice(1, -1) },
  };

  test('of a grid are those of the archive', () => {
    const space = spaceOf(population, 1)!;
    const [x, y, z] = [binned('score'), binned('cpu'), binned('length')];
    const [xy, xz] = [gridCells(x, y), gridCells(x, z)];
    for (let row = 0; row < 500; row++) {
      if (!counts(row)) continue;
      const values = [null, Number.isNaN(columns.cpu[row]!) ? null : columns.cpu[row]!, null];
      const name = space.cellOf({ fit: columns.score[row]!, length: columns.length[row]!, values }, state);
      if (name === null) {
        expect(xy.of[row]).toBe(-1);
        continue;
      }
      const [a, b, c] = name.split('-').map(Number) as [number, number, number];
      expect([xy.of[row], xz.of[row]]).toEqual([a * 9 + b, a * 9 + c]);
    }
  });

  test('of a tessellation are those of the archive', () => {
    const { centroids } = tessellationOf({ seed: 3, cells: 40, dimensions: 3 });
    const space = spaceOf({ ...population, map: 'cvt' }, 3)!;
    const cells = centroidCells(centroids, [binned('score'), binned('cpu'), binned('length')], [0, 2]);
    for (let row = 0; row < 300; row++) {
      if (!counts(row) || Number.isNaN(columns.cpu[row]!)) continue;
      const values = [null, columns.cpu[row]!, null];
      const name = space.cellOf({ fit: columns.score[row]!, length: columns.length[row]!, values }, state);
      expect(String(cells.of[row])).toBe(name);
    }
  });

  test('islands and steps have a bin each where there are few', () => {
    const island = binned('island');
    expect([...island.at].every((at, row) => Math.floor(at * 4) === columns.island[row])).toBe(true);
  });

  test('lie beside each other', () => {
    const grid = gridCells(binned('score'), binned('length'));
    expect(beside(grid, 9, 0, [1, 0])).toBe(9);
    expect(beside(grid, 9, 0, [0, 1])).toBe(1);
    expect(beside(grid, 9, 0, [-1, 0])).toBe(0);
    expect(beside(grid, 9, 8, [0, 1])).toBe(8);
    const points = {
      count: 3,
      of: new Int32Array(),
      points: [
        [0.1, 0.5],
        [0.5, 0.45],
        [0.9, 0.5],
      ] as const,
    };
    expect(beside(points, 0, 0, [1, 0])).toBe(1);
    expect(beside(points, 0, 1, [-1, 0])).toBe(0);
    expect(beside(points, 0, 2, [1, 0])).toBe(2);
  });
});

test('levels of scores hold about as many programs each', () => {
  const borders = bordersOf(columns.score);
  const counted = Array.from({ length: LEVELS }, () => 0);
  for (const value of columns.score) if (!Number.isNaN(value)) counted[levelOf(value, borders)]! += 1;
  expect(Math.min(...counted)).toBeGreaterThan((0.9 * Math.max(...counted)) | 0);
  expect(levelOf(5, bordersOf([5, 5, 5]))).toBe(LEVELS - 1);
});

test('an axis without bins has round numbers within its bounds', () => {
  expect(roundTicks(0, 1.921, 10)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6, 1.8]);
  expect(roundTicks(-0.31, 0.3, 7)).toEqual([-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3]);
  expect(roundTicks(120, 4_060, 5)).toEqual([1_000, 2_000, 3_000, 4_000]);
  expect(roundTicks(3, 3, 5), 'one value').toEqual([3]);
});
