// The offline model in settings: its name, and the size of a run that ends within minutes on two cores. The lead of a release tunes these.

/** `--model offline`: the genetic-programming mutator that ships with the project; no language model. */
export const OFFLINE_MODEL = 'offline';

/** Defaults where the model is offline and the user gave no size. */
export const OFFLINE_SIZE = { batch: 8, responses: 8, steps: 16, islands: 4 } as const;
