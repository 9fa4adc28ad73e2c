// Errors wrap others: what says only that something failed, and below it why.

/** The error and what caused it, outermost first. Empty for what is no error. */
export const causesOf = (error: unknown): readonly Error[] => {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) causes.push(cause);
  return causes;
};

/** The first cause of a failure. */
export const rootOf = (error: unknown): Error => causesOf(error).at(-1) ?? new Error(String(error));
