// Errors wrap other errors: the outer ones often say only that something failed, and the inner ones why.

/** The error and what caused it, outermost first; empty for a value that is no error. */
export const causesOf = (error: unknown): readonly Error[] => {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) causes.push(cause);
  return causes;
};

/** The innermost cause of a failure. */
export const rootOf = (error: unknown): Error => causesOf(error).at(-1) ?? new Error(String(error));
