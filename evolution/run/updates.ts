// The updates of a run's policy beside its steps: which update is due, and for which one a step waits.

/** The learning of a run, as far as it decides what the run does next. */
export type Learning = {
  /** Updates are made. */
  readonly on: boolean;
  /** 0: a step waits for the update of the step before. 1: that update runs beside the step. */
  readonly lag: 0 | 1;
  /** The last step whose update is settled; -1 before the policy is started. */
  readonly learned: number;
  readonly policy: unknown;
};

type Progress = { readonly learning?: Learning | undefined; readonly committedStep: number };

/** The committed step whose update is next; null: none. Learning that begins late begins at the present step. */
export const nextUpdate = ({ learning, committedStep }: Progress): number | null => {
  if (learning?.on !== true || committedStep < 0) return null;
  const next = learning.policy === null ? Math.max(learning.learned + 1, committedStep) : learning.learned + 1;
  return next <= committedStep ? next : null;
};

/** The present step is left out where learning is switched off: nothing is trained on it later. */
export const isLeftOut = ({ learning, committedStep }: Progress): boolean =>
  learning?.on === false && learning.policy !== null && learning.learned < committedStep;

/** The next step waits for this update where it samples from the policy of it. The first policy is always waited for. */
export const awaits = ({ learning, committedStep }: Progress, update: number): boolean =>
  learning?.on === true && (learning.policy === null || update <= committedStep - learning.lag);

/** Limits after which no update begins: a run that has used up its money or its time is not to use more. */
const USED_UP: readonly string[] = ['costUsd', 'tokens', 'wallSeconds'];

/** A run that has reached its end makes the updates first that are left, unless it has used up its means. */
export const learnsAtEnd = (
  { learning }: Progress,
  end: { readonly status: 'finished' | 'stopped'; readonly reason: string },
): boolean => end.status === 'finished' && !USED_UP.includes(end.reason) && learning?.policy !== null;
