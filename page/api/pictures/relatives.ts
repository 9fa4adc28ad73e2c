// Who came of whom in a run, from its column of parents. A parent stands before its children; one that does not is taken
// for none, so that nothing can run in a circle.

export type Kin = {
  readonly roots: readonly number[];
  /** The number of programs of which each is the ancestor, with itself. */
  readonly size: Uint32Array;
  /** In the order in which they came. */
  readonly childrenOf: (row: number) => readonly number[];
};

export const kinOf = (parent: ArrayLike<number>): Kin => {
  const rows = parent.length;
  const start = new Uint32Array(rows + 1);
  const roots: number[] = [];
  const of = (row: number): number => (parent[row]! >= 0 && parent[row]! < row ? parent[row]! : -1);
  for (let row = 0; row < rows; row++) {
    const from = of(row);
    if (from < 0) roots.push(row);
    else start[from + 1]! += 1;
  }
  for (let row = 0; row < rows; row++) start[row + 1]! += start[row]!;
  const next = start.slice(0, rows);
  const children = new Uint32Array(start[rows]!);
  for (let row = 0; row < rows; row++) if (of(row) >= 0) children[next[of(row)]!++] = row;
  const size = new Uint32Array(rows).fill(1);
  for (let row = rows - 1; row >= 0; row--) if (of(row) >= 0) size[of(row)]! += size[row]!;
  return { roots, size, childrenOf: (row) => [...children.subarray(start[row], start[row + 1])] };
};
