// The tessellation of CVT-MAP-Elites and the k-d tree that finds its cells (CodeEvolve 4.4, B.2,
// CodeEvolve 12).
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { spaceOf } from '../../../evolution/archives/cell-space.ts';
import { KdTree, type Point, tessellationOf } from '../../../evolution/archives/tessellation.ts';
import { rng } from '../../../evolution/rng.ts';
import { settingsOf } from '../../support/worlds/populations.ts';

const squared = (a: Point, b: Point): number =>
  a.reduce((sum, value, axis) => sum + (value - b[axis]!) * (value - b[axis]!), 0);
const bruteForce = (points: readonly Point[], to: Point): number =>
  points.reduce((best, point, index) => (squared(point, to) < squared(points[best]!, to) ? index : best), 0);
const uniform = (count: number, dimensions: number, name: string): readonly Point[] => {
  const random = rng(71, name);
  return Array.from({ length: count }, () => Array.from({ length: dimensions }, () => random.next()));
};
/** Mean square distance from the nearest point. */
const distortion = (points: readonly Point[], of: readonly Point[]): number => {
  const tree = new KdTree(points);
  return of.reduce((sum, point) => sum + squared(point, points[tree.nearest(point)]!), 0) / of.length;
};

describe('k-d tree', () => {
  it('finds the nearest point as a look at every point does: on lattices, where most are equally near, and among points given twice', () => {
    const lattice = fc.integer({ min: 1, max: 4 }).chain((dimensions) => {
      const point = fc.array(
        fc.integer({ min: 0, max: 4 }).map((n) => n / 4),
        { minLength: dimensions, maxLength: dimensions },
      );
      const query = fc.array(
        fc.integer({ min: -1, max: 9 }).map((n) => n / 8),
        { minLength: dimensions, maxLength: dimensions },
      );
      return fc.record({
        points: fc.array(point, { minLength: 1, maxLength: 60 }),
        queries: fc.array(query, { minLength: 1, maxLength: 12 }),
      });
    });
    fc.assert(
      fc.property(lattice, ({ points, queries }) => {
        const tree = new KdTree(points);
        for (const query of [...queries, ...points.slice(0, 12)])
          expect(tree.nearest(query)).toBe(bruteForce(points, query));
      }),
      { numRuns: 400, seed: 72 },
    );
  });

  it.each([1, 2, 3, 5, 8])(
    'finds the nearest of random points in %i dimensions, without a look at all of them',
    (dimensions) => {
      const points = uniform(400, dimensions, 'points');
      const tree = new KdTree(points);
      for (const query of uniform(400, dimensions, 'queries')) {
        const far = query.map((value) => 3 * value - 1);
        expect([tree.nearest(query), tree.nearest(far)]).toEqual([bruteForce(points, query), bruteForce(points, far)]);
      }
      if (dimensions <= 3) expect(tree.looks).toBeLessThan(0.2 * 800 * 400);
    },
  );

  it('of equally near points finds the first, be it beyond the plane that parts them', () => {
    expect(
      new KdTree([
        [1, 0],
        [1, 0.5],
        [0, 0.5],
      ]).nearest([0.5, 0.5]),
    ).toBe(1);
    expect(
      new KdTree([
        [0, 0.5],
        [1, 0.5],
        [1, 0],
      ]).nearest([0.5, 0.5]),
    ).toBe(0);
  });

  it('of very many copies of one point finds the first', () => {
    expect(new KdTree(Array.from({ length: 20_000 }, () => [0.5, 0.5])).nearest([0.1, 0.9])).toBe(0);
  });
});

describe('tessellation', () => {
  it('CodeEvolve 12: the same seed gives the same centroids after a restart, another seed others', async () => {
    const of = { seed: 42, cells: 60, dimensions: 2 };
    const { centroids } = tessellationOf(of);
    vi.resetModules();
    const restarted = await import('../../../evolution/archives/tessellation.ts');
    expect(restarted.tessellationOf).not.toBe(tessellationOf);
    expect(JSON.stringify(restarted.tessellationOf(of).centroids)).toBe(JSON.stringify(centroids));
    for (const other of [
      { ...of, seed: 43 },
      { ...of, cells: 61 },
    ])
      expect(tessellationOf(other).centroids[0]).not.toEqual(centroids[0]);
    expect(tessellationOf(of).centroids).toEqual(centroids);
  });

  it('stays what it is from version to version: cells of stored runs are named by it', () => {
    expect(tessellationOf({ seed: 42, cells: 60, dimensions: 2 }).centroids.slice(0, 2)).toEqual(PINNED);
  });

  it.each([
    [1, 1],
    [7, 1],
    [60, 2],
    [60, 3],
    [300, 2],
    [40, 8],
  ])(
    'CodeEvolve 12: %i cells in %i dimensions: so many different centroids in the unit cube, each the nearest to itself',
    (cells, dimensions) => {
      const { centroids, nearest } = tessellationOf({ seed: 5, cells, dimensions });
      expect(centroids.length).toBe(cells);
      expect(new Set(centroids.map(String)).size).toBe(cells);
      expect(
        centroids.every(
          (centroid) => centroid.length === dimensions && centroid.every((value) => value >= 0 && value <= 1),
        ),
      ).toBe(true);
      expect(centroids.map(nearest)).toEqual(centroids.map((_, index) => index));
      for (const point of uniform(100, dimensions, 'anywhere'))
        expect(nearest(point)).toBe(bruteForce(centroids, point));
    },
  );

  it('is centroidal: each centroid is nearly the mean of its cell, and points lie nearer to centroids than to points at random', () => {
    const points = uniform(20_000, 2, 'sample');
    const { centroids, nearest } = tessellationOf({ seed: 6, cells: 20, dimensions: 2 });
    const cells = centroids.map((): Point[] => []);
    for (const point of points) cells[nearest(point)]!.push(point);
    for (const [index, cell] of cells.entries()) {
      const mean = [0, 1].map((axis) => cell.reduce((sum, point) => sum + point[axis]!, 0) / cell.length);
      // The 50 points of a cell that Lloyd saw are drawn too: their mean is off by 0.009 on each axis.
      expect(Math.sqrt(squared(mean, centroids[index]!))).toBeLessThan(0.05);
    }
    for (const [cells, dimensions] of [
      [60, 2],
      [60, 3],
      [400, 3],
      [100, 8],
    ] as const) {
      const sample = uniform(3_000, dimensions, 'sample');
      expect(distortion(tessellationOf({ seed: 6, cells, dimensions }).centroids, sample)).toBeLessThan(
        0.9 * distortion(uniform(cells, dimensions, 'centroids'), sample),
      );
    }
  });

  it('CodeEvolve 12: is one for a run: every island and every step stands in the same cells, and distances are those of the centroids', () => {
    const settings = {
      ...settingsOf({
        map: 'cvt',
        cells: 30,
        features: [
          { name: 'score', min: 0, max: 1 },
          { name: 'length', min: 0, max: 1 },
        ],
      }).population,
    };
    const [one, other] = [spaceOf(settings, 9)!, spaceOf({ ...settings, islands: 7, cap: 999 }, 9)!];
    const { centroids } = tessellationOf({ seed: 9, cells: 30, dimensions: 2 });
    expect(one.size).toBe(30);
    for (const [x, y] of uniform(200, 2, 'programs')) {
      const cell = one.cellOf({ fit: x!, length: y! }, { bounds: null })!;
      expect(cell).toBe(String(bruteForce(centroids, [x!, y!])));
      expect(other.cellOf({ fit: x!, length: y! }, { bounds: null })).toBe(cell);
    }
    expect(one.distance('3', '8')).toBeCloseTo(Math.sqrt(squared(centroids[3]!, centroids[8]!)), 12);
    expect(one.distance('4', '4')).toBe(0);
  });
});

/** The first centroids of seed 42, 60 cells, 2 dimensions. */
const PINNED: readonly Point[] = [
  [0.9626637848950584, 0.32961559942378704],
  [0.5216994112169996, 0.5355380795912331],
];
