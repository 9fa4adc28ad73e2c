// The errors of commands and the library, sorted by the caller's next step. The command line makes exit codes of them.

/** The request cannot be done; the message says what can. Nothing was changed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
/** A part (database, workflow engine, worker, endpoint, Docker) is not running or cannot be reached. */
export class MissingError extends Error {
  override readonly name = 'MissingError';
}
/** The run or the check came to a bad end. */
export class BadEndError extends Error {
  override readonly name = 'BadEndError';
}

const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;
/** True where the server does not let this process ask, or does not know the question. */
export const isForbidden = (error: unknown): boolean => {
  const { code } = error as { readonly code?: unknown };
  return code === PERMISSION_DENIED || code === UNIMPLEMENTED;
};
