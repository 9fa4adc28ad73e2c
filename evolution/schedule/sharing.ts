// The priority of a run's workflows and activities at the engine: a fairness key with a weight, and kinds of work.

/** Lower goes first, however much of a higher number waits. */
export const PRIORITY = {
  /** Messages and commits: short, and much waits for them. */
  control: 1,
  /** A run that a person started. */
  person: 2,
  /** A run of a sweep. */
  sweep: 3,
} as const;

export const DEFAULT_WEIGHT = 1;

/** The work of keys with the same priority is served in proportion to their weights. */
export type Share = {
  readonly priorityKey: number;
  readonly fairnessKey: string;
  readonly fairnessWeight: number;
};

/** `weight` is DEFAULT_WEIGHT where it is left out. Ids of runs are shorter than the engine's limit for keys. */
export const shareOf = ({
  run,
  sweep,
  weight,
}: {
  readonly run: string;
  readonly sweep: string | null;
  readonly weight?: number;
}): Share => ({
  priorityKey: sweep === null ? PRIORITY.person : PRIORITY.sweep,
  fairnessKey: run,
  fairnessWeight: weight ?? DEFAULT_WEIGHT,
});

/** Of the weight of its run. */
const HIDDEN_WEIGHT = 0.25;

/**
 * The share of a run's scores on hidden instances. No step waits for them, so they have a small one of their own, and
 * they stand behind no other work for good.
 */
export const hiddenShareOf = (run: Parameters<typeof shareOf>[0]): Share => {
  const { fairnessKey, fairnessWeight, ...share } = shareOf(run);
  return { ...share, fairnessKey: `${fairnessKey}:h`, fairnessWeight: fairnessWeight * HIDDEN_WEIGHT };
};
