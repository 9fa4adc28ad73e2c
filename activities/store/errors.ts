// What a store refuses.

/** Another execution owns the run's future (reset, rewind): stop, write nothing. */
export class SupersededError extends Error {
  override readonly name = 'SupersededError';
}
/** Two different contents under one id where content must be deterministic. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
}
