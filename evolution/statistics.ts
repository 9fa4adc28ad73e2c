// These are sums, means, medians and deviations that stay finite for huge scores.

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Null without values. Where the sum of huge values is not finite, the shares of the mean are added instead. */
export const meanOf = (values: readonly number[]): number | null => {
  if (values.length === 0) return null;
  const sum = sumOf(values);
  return Number.isFinite(sum) ? sum / values.length : sumOf(values.map((value) => value / values.length));
};

/** The standard deviation of a sample, over n - 1; null with fewer than two values. */
export const deviationOf = (values: readonly number[]): number | null => {
  const mean = meanOf(values);
  if (mean === null || values.length < 2) return null;
  // The mean of equal values may be rounded.
  return values.every((value) => value === values[0])
    ? 0
    : Math.sqrt(sumOf(values.map((value) => (value - mean) ** 2)) / (values.length - 1));
};

/** `n` is the number of values; `sd` is that of a sample, null with fewer than two of them. */
export type Spread = { readonly n: number; readonly mean: number | null; readonly sd: number | null };

export const spreadOf = (values: readonly number[]): Spread => ({
  n: values.length,
  mean: meanOf(values),
  sd: deviationOf(values),
});

/** The median of a sorted list of at least one value. Values are halved first, because a sum may overflow. */
export const medianOf = (sorted: ArrayLike<number>): number =>
  sorted[(sorted.length - 1) >> 1]! / 2 + sorted[sorted.length >> 1]! / 2;
