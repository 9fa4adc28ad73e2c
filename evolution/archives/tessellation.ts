// The centroidal Voronoi tessellation of CVT-MAP-Elites (CodeEvolve 4.4, B.2): Lloyd's algorithm on random points, and
// a k-d tree for the nearest centroid.
import { rng } from '../rng.ts';

export type Point = readonly number[];

type Node = { readonly index: number; readonly axis: number; readonly near: Node | null; readonly far: Node | null };

export class KdTree {
  readonly #points: readonly Point[];
  readonly #root: Node | null;
  #looks = 0;

  /** Expects at least one point, and all of them of one dimension. */
  constructor(points: readonly Point[]) {
    this.#points = points;
    this.#root = this.#build(
      points.map((_, index) => index),
      0,
    );
  }

  /** Points looked at in all searches: a measure of work that needs no clock. */
  get looks(): number {
    return this.#looks;
  }

  /** The index of the nearest point by Euclidean distance, and of equally near points the lowest index. */
  nearest(to: Point): number {
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    const visit = (node: Node | null): void => {
      if (node === null) return;
      this.#looks++;
      const distance = squared(this.#points[node.index]!, to);
      if (distance < least || (distance === least && node.index < best)) [best, least] = [node.index, distance];
      const beyond = to[node.axis]! - this.#points[node.index]![node.axis]!;
      visit(beyond < 0 ? node.near : node.far);
      // An equally near point of a lower index may lie exactly as far away as the plane.
      if (beyond * beyond <= least) visit(beyond < 0 ? node.far : node.near);
    };
    visit(this.#root);
    return best;
  }

  #build(indices: number[], depth: number): Node | null {
    if (indices.length === 0) return null;
    const axis = depth % this.#points[indices[0]!]!.length;
    indices.sort((a, b) => this.#points[a]![axis]! - this.#points[b]![axis]! || a - b);
    // Points that equal the middle one on this axis may be on both sides, so that copies of one point do not make the
    // tree deep.
    const middle = indices.length >>> 1;
    return {
      index: indices[middle]!,
      axis,
      near: this.#build(indices.slice(0, middle), depth + 1),
      far: this.#build(indices.slice(middle + 1), depth + 1),
    };
  }
}

const squared = (a: Point, b: Point): number => {
  let sum = 0;
  for (let axis = 0; axis < a.length; axis++) sum += (a[axis]! - b[axis]!) ** 2;
  return sum;
};

export type Tessellation = {
  /** Points in [0, 1]^d. */
  readonly centroids: readonly Point[];
  /** The index of the nearest centroid by Euclidean distance, and of equally near ones the lowest. */
  nearest(point: Point): number;
};

export type TessellationOf = { readonly seed: number; readonly cells: number; readonly dimensions: number };

const POINTS = 1_000;
const POINTS_PER_CELL = 10;
const MAX_ROUNDS = 300;
/** Bounds the work to a few seconds: with some hundred cells, or fewer in many dimensions, there are fewer rounds. */
const MAX_LOOKS = 10_000_000;
const SMALLEST_SHIFT = 1e-4;

const known = new Map<string, Tessellation>();

/** Gives the same tessellation for the same seed, on every island and after every restart. */
export const tessellationOf = ({ seed, cells, dimensions }: TessellationOf): Tessellation => {
  const key = `${seed}:${cells}:${dimensions}`;
  const made = known.get(key) ?? make({ seed, cells, dimensions });
  if (!known.has(key) && known.size >= 32) known.clear();
  known.set(key, made);
  return made;
};

const make = ({ seed, cells, dimensions }: TessellationOf): Tessellation => {
  const random = rng(seed, 'tessellation', cells, dimensions);
  const uniform = (count: number): Point[] =>
    Array.from({ length: count }, () => Array.from({ length: dimensions }, () => random.next()));
  const centroids = lloyd(uniform(cells), uniform(Math.max(POINTS, POINTS_PER_CELL * cells)));
  const tree = new KdTree(centroids);
  return { centroids, nearest: (point) => tree.nearest(point) };
};

/** Moves each centroid to the mean of its nearest points until none moves far. One without points stays. */
const lloyd = (start: readonly Point[], points: readonly Point[]): readonly Point[] => {
  let centroids = start;
  for (let round = 0, looks = 0; round < MAX_ROUNDS && looks < MAX_LOOKS; round++) {
    const tree = new KdTree(centroids);
    const moved = means(centroids, tree, points);
    looks += tree.looks;
    const still = moved.every(
      (to, index) => Math.hypot(...to.map((value, axis) => value - centroids[index]![axis]!)) < SMALLEST_SHIFT,
    );
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
  return centroids.map((centroid, index) =>
    counts[index] === 0 ? centroid : sums[index]!.map((sum) => sum / counts[index]!),
  );
};
