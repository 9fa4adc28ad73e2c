// The errors that a store throws on purpose.

/**
 * A reset or a rewind gave the run's future to another execution. The one that gets this error stops and writes
 * nothing.
 */
export class SupersededError extends Error {
  override readonly name = 'SupersededError';
}
/** Two different contents for one id, where the content must be deterministic. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
}
/** Another version of this project wrote what was read, in a form that this one does not read. Nothing more is written. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}
