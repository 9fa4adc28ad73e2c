// The documents of a run that learns: its policies, the updates that made them, the batches that these were trained on,
// and the token ids and logprobs of responses. Weights are files of the trainer and are not here.
import type { BlobRef, Role, RunId } from '../../../evolution/types.ts';

/**
 * `start`: the base model becomes version 0. `supervised`: cross-entropy on texts (a warm-up, a judge). `policy`: a
 * policy gradient on the rollouts of a step.
 */
export type UpdateKind = 'start' | 'supervised' | 'policy';

/** The report of a trainer on an update that it has applied. All numbers are finite. */
export type UpdateResult = {
  /** SHA-256 over the weights, in an order and a form that the trainer fixes. */
  readonly weightsHash: string;
  /** The trainer's own names for the state to train on from, optimizer included, and for the weights to sample from. */
  readonly trainingState: string;
  readonly samplerState: string;
  readonly loss: number;
  readonly gradNorm: number;
  /** Share of the tokens whose ratio is beyond the clip, and whose importance weight is. */
  readonly clipFraction: number;
  readonly isClipFraction: number;
  /** Mean over the tokens of |trainer's logprob - sampler's logprob|, in nats. */
  readonly mismatch: number;
  /** Rollouts that the gradient was taken over, and those left out because their logprobs cannot be right. */
  readonly used: number;
  readonly dropped: number;
  readonly tokens: number;
  readonly seconds: number;
};

/** Reward over all rollouts of the step that have one. */
export type RewardStats = { readonly mean: number; readonly max: number };

/** The fields that a policy has from the update that made it. */
type Made = {
  readonly run: RunId;
  readonly version: number;
  /** The policy that it was trained from. Of a `start` it is a policy of another run or training, or null. */
  readonly parent: string | null;
  /** The committed step whose rollouts it was trained on; of a start, the step after which learning began. */
  readonly step: number;
  readonly updateId: string;
  readonly kind: UpdateKind;
  readonly trainer: string;
  readonly base: string;
  readonly createdAt: Date;
};

/** A version of the model. It never changes; which version a run has is in its document. */
export type PolicyDocument = Made &
  Pick<UpdateResult, 'weightsHash' | 'trainingState' | 'samplerState'> &
  Pick<UpdateStats, 'reward' | 'zeroVariance'> & {
    /** `<run>-v<4 digits>-<first 8 of updateId>`. */
    readonly _id: string;
    /** The name under which it is served, and where; null is the trainer's server of this data directory. */
    readonly model: string;
    readonly baseUrl: string | null;
    readonly batchHash: string | null;
    readonly result: UpdateResult;
    /** The cost of its training, by `learning.price` as it was then. */
    readonly costUsd: number;
    /** The time at which its server first answered as it. */
    readonly servedAt: Date;
  };

/** `hash` is over what is trained on; `file` is the SHA-256 of the bytes that hold it (`batches`). */
export type BatchOfUpdate = {
  readonly hash: string;
  readonly file: string;
  readonly chunks: number;
  readonly bytes: number;
  readonly rows: number;
  readonly tokens: number;
};

export type UpdateState = 'planned' | 'applied' | 'published' | 'committed';

/** Written by the trainer's worker before it sends the operation; `done` is set when it is through. */
export type UpdateOperation = {
  readonly name: string;
  readonly payloadHash: string;
  readonly at: Date;
  readonly done: boolean;
};

/** The counts of planning. `reward` is null where nothing was rewarded: a start, a supervised update. */
export type UpdateStats = {
  readonly reward: RewardStats | null;
  readonly groups: number;
  readonly zeroVariance: number;
  /** Rollouts without token ids or logprobs that can be trained on. */
  readonly missing: number;
  readonly truncated: number;
};

/** Everything by which a trainer makes one policy out of another. What is planned never changes. */
export type UpdateDocument = Made & {
  /** `<run>:<updateId>`. */
  readonly _id: string;
  /** The policy that it makes. */
  readonly policy: string;
  readonly seed: number;
  /** Address of the trainer's API; who serves policies, and its address. */
  readonly server: string | null;
  readonly serve: string;
  readonly serveUrl: string | null;
  /** The trainer's name of the state that it trains on from; null for the base model. */
  readonly parentState: string | null;
  readonly batch: BatchOfUpdate | null;
  /** All hyperparameters, as JSON. */
  readonly hyper: string;
  /** Planned here; `applied` and `published` by the trainer's worker; `committed` here. */
  readonly state: UpdateState;
  readonly operations: readonly UpdateOperation[];
  /** Set with `applied`. */
  readonly result: UpdateResult | null;
  /** Set with `published`. */
  readonly served: { readonly baseUrl: string | null; readonly model: string } | null;
  /** The time at which a check first saw its server answer as the policy. */
  readonly servedAt: Date | null;
  readonly stats: UpdateStats;
};

/** The next piece of the bytes of a batch. `_id` is `<file>:<4-digit chunk>`, and `run` is the first that put it. */
export type BatchDocument = { readonly _id: string; readonly run: RunId; readonly data: Uint8Array };

/** The token ids and logprobs of a response or of a call, as they were sampled, under its `_id`. */
export type SampleDocument = {
  readonly _id: string;
  readonly run: RunId;
  readonly step: number;
  readonly epoch: number;
  readonly group: number;
  readonly role: Role;
  /** The policy that sampled it. */
  readonly policy: string;
  /** The text that its tokens are. Of two attempts the first stored sample counts, and its text with it. */
  readonly text: BlobRef;
  /** The text in `blobs` that holds the prompt's token ids as a JSON list; responses of a group share it. */
  readonly promptRef: string;
  /** Little-endian Int32. */
  readonly response: Uint8Array;
  /** Little-endian Float32, one for each token of the response, in nats. */
  readonly logprobs: Uint8Array;
  readonly truncated: boolean;
  readonly finishReason: string | null;
};

/** A SampleDocument as whoever samples or trains has it. */
export type Sample = Omit<SampleDocument, '_id' | 'promptRef' | 'response' | 'logprobs'> & {
  readonly id: string;
  readonly prompt: Int32Array;
  readonly response: Int32Array;
  readonly logprobs: Float32Array;
};
