// Centroidal Voronoi tessellation of the unit cube (CVT-MAP-Elites; reference codeevolve, section 2, MAP-Elites). Called by space.ts.
import { rng } from '../rng.ts';
import { KdTree, type Point } from './kd-tree.ts';

export type Tessellation = {
  /** In [0, 1]^d. */
  readonly centroids: readonly Point[];
  /** Index of the nearest centroid by Euclidean distance; of equally near ones the lowest. */
  nearest(point: Point): number;
};

export type TessellationOf = { readonly seed: number; readonly cells: number; readonly dimensions: number };

const POINTS = 1_000;
const POINTS_PER_CELL = 10;
const MAX_ROUNDS = 300;
/** Bounds the work, to a few seconds: from some hundred cells on, in many dimensions earlier, it means fewer rounds. */
const MAX_LOOKS = 10_000_000;
const SMALLEST_SHIFT = 1e-4;

const known = new Map<string, Tessellation>();

/** The same for the same seed, on every island and after every restart. */
export const tessellationOf = ({ seed, cells, dimensions }: TessellationOf): Tessellation => {
  const key = `${seed}:${cells}:${dimensions}`;
  const made = known.get(key) ?? make({ seed, cells, dimensions });
  if (!known.has(key) && known.size >= 32) known.clear();
  known.set(key, made);
  return made;
};

const make = ({ seed, cells, dimensions }: TessellationOf): Tessellation => {
  const random = rng(seed, 'tessellation', cells, dimensions);
  const uniform = (count: number): Point[] => Array.from({ length: count }, () => Array.from({ length: dimensions }, () => random.next()));
  const centroids = lloyd(uniform(cells), uniform(Math.max(POINTS, POINTS_PER_CELL * cells)));
  const tree = new KdTree(centroids);
  return { centroids, nearest: (point) => tree.nearest(point) };
};

/** Each centroid moves to the mean of the points nearest to it until none moves far; one that is nearest to none stays. */
const lloyd = (start: readonly Point[], points: readonly Point[]): readonly Point[] => {
  let centroids = start;
  for (let round = 0, looks = 0; round < MAX_ROUNDS && looks < MAX_LOOKS; round++) {
    const tree = new KdTree(centroids);
    const moved = means(centroids, tree, points);
    looks += tree.looks;
    const still = moved.every((to, index) => Math.hypot(...to.map((value, axis) => value - centroids[index]![axis]!)) < SMALLEST_SHIFT);
    centroids = moved;
    if (still) break;
  }
  return centroids;
};

const means = (centroids: readonly Point[], tree: KdTree, points: readonly Point[]): readonly Point[] => {
  const sums = centroids.map(({ length }) => new Array<number>(length).fill(0));
  const counts = new Array<number>(centroids.length).fill(0);
  for (const point of points) {
    const index = tree.nearest(point);
    counts[index]!++;
    for (const [axis, value] of point.entries()) sums[index]![axis]! += value;
  }
  return centroids.map((centroid, index) => (counts[index] === 0 ? centroid : sums[index]!.map((sum) => sum / counts[index]!)));
};
