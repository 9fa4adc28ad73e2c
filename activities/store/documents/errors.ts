// The errors that a store throws on purpose.

/** Another execution goes on with the run after a reset or a rewind. The one that gets this error writes nothing. */
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
