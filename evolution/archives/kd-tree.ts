// A k-d tree: the nearest of many fixed points without looking at all of them. Called by tessellation.ts.

export type Point = readonly number[];

type Node = { readonly index: number; readonly axis: number; readonly near: Node | null; readonly far: Node | null };

export class KdTree {
  readonly #points: readonly Point[];
  readonly #root: Node | null;
  #looks = 0;

  /** At least one point, all of one dimension. */
  constructor(points: readonly Point[]) {
    this.#points = points;
    this.#root = this.#build(points.map((_, index) => index), 0);
  }

  /** Points looked at so far, in all searches. */
  get looks(): number { return this.#looks; }

  /** Index of the nearest point by Euclidean distance; of equally near ones the lowest. */
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
      // An equally near point of a lower index may lie exactly as far as the plane.
      if (beyond * beyond <= least) visit(beyond < 0 ? node.far : node.near);
    };
    visit(this.#root);
    return best;
  }

  #build(indices: number[], depth: number): Node | null {
    if (indices.length === 0) return null;
    const axis = depth % this.#points[indices[0]!]!.length;
    indices.sort((a, b) => this.#points[a]![axis]! - this.#points[b]![axis]! || a - b);
    // Points that equal the middle one on this axis may be on both sides: copies of one point do not make the tree deep.
    const middle = indices.length >>> 1;
    return {
      index: indices[middle]!, axis,
      near: this.#build(indices.slice(0, middle), depth + 1), far: this.#build(indices.slice(middle + 1), depth + 1),
    };
  }
}

const squared = (a: Point, b: Point): number => {
  let sum = 0;
  for (let axis = 0; axis < a.length; axis++) sum += (a[axis]! - b[axis]!) ** 2;
  return sum;
};
