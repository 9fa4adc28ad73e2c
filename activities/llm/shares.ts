// A request's tokens shared out among what it brought. Called by generate.ts and embed.ts.

/** Whole numbers in proportion to the weights that add up to the total exactly. */
export const shares = (total: number, weights: readonly number[]): number[] => {
  const sum = weights.reduce((a, b) => a + b, 0);
  let seen = 0;
  let given = 0;
  return weights.map((weight) => {
    seen += weight;
    const upTo = Math.round((total * seen) / sum);
    const share = upTo - given;
    given = upTo;
    return share;
  });
};
