// The first two principal components of vectors, such as embeddings of programs: similar ones lie near each other.

/** GET runs/:run/similarity. */
export type Similarity = {
  /** The programs; the places of each are at the same index of `at`. */
  readonly ids: readonly string[];
  readonly at: readonly [x: readonly number[], y: readonly number[]];
  /** The share of the variance that each of the two components holds. */
  readonly shares: readonly [x: number, y: number];
};

const ITERATIONS = 60;
const SETTLED = 1e-9;

const dot = (a: Float64Array, b: Float64Array): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
};

/** Unit length, in place; false for zeros. */
const toUnit = (vector: Float64Array): boolean => {
  const norm = Math.sqrt(dot(vector, vector));
  if (!(norm > 0)) return false;
  for (let i = 0; i < vector.length; i++) vector[i]! /= norm;
  return true;
};

const without = (vector: Float64Array, direction: Float64Array): void => {
  const along = dot(vector, direction);
  for (let i = 0; i < vector.length; i++) vector[i]! -= along * direction[i]!;
};

const centred = (vectors: readonly ArrayLike<number>[]): readonly Float64Array[] => {
  const rows = vectors.map((vector) => Float64Array.from(vector));
  for (let i = 0; i < (rows[0]?.length ?? 0); i++) {
    const mean = rows.reduce((sum, row) => sum + row[i]! / rows.length, 0);
    for (const row of rows) row[i]! -= mean;
  }
  return rows;
};

/** By power iteration from the row that is longest. Its largest part is positive, so that it is the same each time. */
const directionIn = (rows: readonly Float64Array[], before: Float64Array | null): Float64Array | null => {
  const rest = rows.map((row) => {
    const one = row.slice();
    if (before !== null) without(one, before);
    return one;
  });
  const longest = rest.reduce((a, b) => (dot(b, b) > dot(a, a) ? b : a));
  const most = Math.max(...rows.map((row) => dot(row, row)));
  let direction = longest.slice();
  // What is left where all lie on one line is rounding.
  if (dot(longest, longest) <= 1e-18 * most || !toUnit(direction)) return null;
  for (let turn = 0; turn < ITERATIONS; turn++) {
    const next = new Float64Array(direction.length);
    for (const row of rest) {
      const along = dot(row, direction);
      for (let i = 0; i < next.length; i++) next[i]! += along * row[i]!;
    }
    if (!toUnit(next)) break;
    const moved = 1 - Math.abs(dot(next, direction));
    direction = next;
    if (moved < SETTLED) break;
  }
  const largest = direction.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
  return largest < 0 ? direction.map((value) => -value) : direction;
};

/** The places of vectors of one length; zeros along a component that there is not. */
export const componentsOf = (vectors: readonly ArrayLike<number>[]): Pick<Similarity, 'at' | 'shares'> => {
  const rows = centred(vectors);
  const total = rows.reduce((sum, row) => sum + dot(row, row), 0);
  const first = rows.length === 0 ? null : directionIn(rows, null);
  const second = first === null ? null : directionIn(rows, first);
  const [x, y] = [first, second].map((direction) => rows.map((row) => (direction === null ? 0 : dot(row, direction))));
  const shareOf = (places: readonly number[]): number =>
    total > 0 ? places.reduce((sum, place) => sum + place * place, 0) / total : 0;
  return { at: [x!, y!], shares: [shareOf(x!), shareOf(y!)] };
};
