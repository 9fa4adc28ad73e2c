// The activities by which a run learns, as workflows see them. Those of StoreLearning and ModelLearning are ours; those
// of TrainerActivities run in the Python worker (deploy/trainer) on the queue `evolve-rl`, under these very names, with
// one JSON object each. Token ids and weights never pass through the workflow engine: they are in the store and in the
// trainer's folder, and what crosses here are ids and counts.
import type { Paid } from '../../evolution/budget/money.ts';
import type { RunId } from '../../evolution/types.ts';
import type { BatchOfUpdate, UpdateDocument, UpdateKind, UpdateResult } from '../store/documents/learning-documents.ts';

export type { UpdateKind, UpdateResult } from '../store/documents/learning-documents.ts';

/** The state of a run that learns, for the run loop and for people; small, because it is in history. */
export type LearningBrief = {
  /** True where updates are made. Otherwise the run goes on with the policy that it has. */
  readonly on: boolean;
  /** The version of the settings that `on`, `trainer` and `lag` are from. Left out where no later one can be known. */
  readonly version?: number;
  readonly trainer: string;
  /** 0: a step samples from the policy that was trained on the step before. 1: that update runs beside the step. */
  readonly lag: 0 | 1;
  /** The last step whose update is settled: committed, or left out for a reason. -1 before the policy is started. */
  readonly learned: number;
  readonly policy: { readonly id: string; readonly version: number } | null;
  /** The last update that was settled, in a line for people; null where there is none. */
  readonly last: string | null;
  /** The sums that the run has paid so far, training included. Left out where no update has a price. */
  readonly paid?: Paid;
};

/** One update, planned and stored: everything else of it is in its document in `updates`. */
export type UpdateOrder = {
  readonly run: RunId;
  /** The committed step whose rollouts are trained on. */
  readonly step: number;
  readonly generation: number;
  /** SHA-256 over run, step, parent, batch and hyperparameters: the same update has the same id, whoever plans it. */
  readonly updateId: string;
  readonly kind: UpdateKind;
  readonly trainer: string;
  /** The name of the policy to be made, `<run>-v0007-<first 8 of updateId>`: also its name at the server. */
  readonly policy: string;
  readonly version: number;
  readonly rollouts: number;
  readonly tokens: number;
};

/** A training that belongs to no run: supervised steps on stored texts, a policy for each epoch. */
export type Training = Pick<UpdateDocument, 'trainer' | 'base' | 'seed' | 'server' | 'serve' | 'serveUrl'> & {
  /** The hyperparameters that all its updates share. */
  readonly hyper: { readonly [name: string]: unknown };
  readonly batch: BatchOfUpdate;
  readonly epochs: number;
  /** Optimizer steps of an epoch, and examples of a step. */
  readonly steps: number;
  readonly batchSize: number;
  readonly learningRate: number;
  readonly schedule: 'linear' | 'cosine';
  /** Steps in which the learning rate rises. */
  readonly warmup: number;
};

export interface StoreLearning {
  /**
   * Returns the next thing to do for this step: an update, stored as `planned` with its batch, or nothing more
   * (`settled`). It is asked again after each commit until the step is settled: step 0 may have two updates, the start
   * and the warm-up. Each try plans anew by the settings as they are then, so a change of a setting helps.
   * `SupersededError` where the run has gone on as another generation.
   */
  planUpdate(input: {
    readonly run: RunId;
    readonly step: number;
    readonly owner: string;
    /** The training, where there is no run. Its step is the number of the epoch. */
    readonly training?: Training;
  }): Promise<{ readonly settled: LearningBrief } | { readonly order: UpdateOrder }>;
  /** Stores the policy and moves the run to it in one guarded update. Once committed, it answers the same again. */
  commitPolicy(order: UpdateOrder): Promise<LearningBrief>;
}

export interface ModelLearning {
  /**
   * Asks the policy's server for a real answer under its name, with token ids and logprobs. Fails with type
   * PolicyNotServed, which says what was expected, what came, and what to change.
   */
  verifyPolicy(order: UpdateOrder): Promise<{ readonly baseUrl: string; readonly servedAtMs: number }>;
}

/** In the Python worker. `order` is enough: the update's document holds the rest. */
export interface TrainerActivities {
  /** Finds the update where it was applied before, else applies it. Heartbeats tell what it is at. */
  applyUpdate(order: UpdateOrder): Promise<UpdateResult>;
  /** Has the applied policy served under its name. `baseUrl` is null for the trainer server of this data directory. */
  publishPolicy(order: UpdateOrder): Promise<{ readonly baseUrl: string | null; readonly model: string }>;
}
