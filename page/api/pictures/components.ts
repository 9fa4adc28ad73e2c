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
/** Adds `times` the other vector, in place. */
const add = (to: Float64Array, times: number, other: Float64Array): void => {
  for (let i = 0; i < to.length; i++) to[i]! += times * other[i]!;
};
const unit = (vector: Float64Array): Float64Array => {
  const norm = Math.sqrt(dot(vector, vector)) || 1;
  return vector.map((value) => value / norm);
};

/** The direction of the largest variance, by power iteration. Its largest part is positive, so that it stays the same. */
const directionIn = (rows: readonly Float64Array[]): Float64Array => {
  let direction = unit(rows.reduce((a, b) => (dot(b, b) > dot(a, a) ? b : a)));
  for (let turn = 0, moved = 1; turn < ITERATIONS && moved > SETTLED; turn++) {
    const next = new Float64Array(direction.length);
    for (const row of rows) add(next, dot(row, direction), row);
    const after = unit(next);
    moved = 1 - Math.abs(dot(after, direction));
    direction = after;
  }
  const largest = direction.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
  return largest < 0 ? direction.map((value) => -value) : direction;
};

/** The places of vectors of one length; zeros along a component that there is not. */
export const componentsOf = (vectors: readonly ArrayLike<number>[]): Pick<Similarity, 'at' | 'shares'> => {
  const rows = vectors.map((vector) => Float64Array.from(vector));
  const mean = new Float64Array(rows[0]?.length ?? 0);
  for (const row of rows) add(mean, 1 / rows.length, row);
  for (const row of rows) add(row, -1, mean);
  const squares = (): number => rows.reduce((sum, row) => sum + dot(row, row), 0);
  const total = squares();
  const components = [0, 1].map(() => {
    // What is left where all lie on one line, or at one point, is rounding.
    if (!(squares() > 1e-18 * total)) return rows.map(() => 0);
    const direction = directionIn(rows);
    const places = rows.map((row) => dot(row, direction));
    for (const [at, row] of rows.entries()) add(row, -places[at]!, direction);
    return places;
  }) as [number[], number[]];
  const shareOf = (places: readonly number[]): number =>
    total > 0 ? places.reduce((sum, place) => sum + place * place, 0) / total : 0;
  return { at: components, shares: [shareOf(components[0]), shareOf(components[1])] };
};
