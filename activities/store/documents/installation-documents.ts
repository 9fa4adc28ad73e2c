// The documents that all runs of an installation share: its secret, queues, keys and engine, the hosts at work, the
// rates of endpoints, the notices that people are sent, and what trackers have of runs.
import type { RunId } from '../../../evolution/types.ts';
import type { SealedKey } from '../../llm/transport/sealed-keys.ts';

/** The secret as 64 hexadecimal digits. It is made once and never replaced, because open runs draw from it. */
export type SecretDocument = { readonly _id: 'draw-secret'; readonly secret: string };
/** Queues beside `evolve-eval` on which runs wait for evaluations. A name says what its host must have. */
export type QueuesDocument = { readonly _id: 'queues'; readonly revision: number; readonly queues: readonly string[] };
/**
 * The name of a removed run stays taken, because workers remember documents by ids that begin with it. The same run may
 * come back from an export; `createdAt` tells it from others.
 */
export type RemovedDocument = {
  readonly _id: `removed:${string}`;
  readonly createdAt: Date;
  readonly removedAt: Date;
};
/** The namespace of the workflow engine in which the database works. The rest tells people which one it is. */
export type EngineClaim = {
  readonly namespaceId: string;
  readonly namespace: string;
  readonly address: string;
  readonly host: string;
  readonly home: string;
  readonly since: Date;
};
export type EngineDocument = EngineClaim & { readonly _id: 'engine' };
/** Keys of endpoints, encrypted under a key that is never in the database. */
export type KeysDocument = { readonly _id: 'keys'; readonly revision: number; readonly keys: readonly SealedKey[] };
export type InstallationDocument = SecretDocument | QueuesDocument | EngineDocument | RemovedDocument | KeysDocument;

/** A worker process that has a role on a host. `beats` counts its signs of life; `seenAt` is the host's own clock. */
export type HostDocument = {
  readonly _id: string;
  /** Reads that are not by id name a run first. A host belongs to none. */
  readonly run: '';
  readonly host: string;
  readonly pid: number;
  readonly role: string;
  readonly version: string;
  readonly since: Date;
  readonly seenAt: Date;
  readonly beats: number;
  readonly queues: readonly string[];
  /** Number of activities that it takes at once. */
  readonly slots: number;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly gpus: number;
  readonly labels: readonly string[];
  /** The namespace in which it works. */
  readonly namespaceId?: string;
};

/** A worker process. `beat` grows while it lives; `share` is the part of the endpoint's rate that it may use. */
export type RateHolder = { readonly id: string; readonly beat: number; readonly share: number };

/** The endpoint asked to be left alone for so long. `by` is the holder that was told. */
export type RatePause = { readonly id: string; readonly by: string; readonly ms: number };

/** `_id` is the address of the endpoint. */
export type RateDocument = {
  readonly _id: string;
  readonly revision: number;
  readonly holders: readonly RateHolder[];
  readonly pauses: readonly RatePause[];
};

/** The message that is sent. It is stored as it was first written, so that each attempt sends the same. */
export type Notice = {
  readonly id: string;
  readonly event: 'attention' | 'ended';
  readonly kind: 'run' | 'sweep';
  readonly name: string;
  /** Since when the run needs attention, or when it ended, as ISO 8601 writes it. */
  readonly at: string;
  /** One line for people. */
  readonly text: string;
  readonly [detail: string]: string | number | null;
};

/** Reads that are not by id name a run first; notices belong to the installation. */
type OfInstallation = { readonly run: '' };

export type NoticeDocument = OfInstallation & {
  readonly _id: string;
  readonly name: string;
  readonly event: Notice['event'];
  readonly at: Date;
  /** The time of its claim, by the clock of the host that claimed it. */
  readonly claimedAt: Date;
  readonly notice: Notice;
  /** `failed`: every attempt failed. */
  readonly state: 'open' | 'sent' | 'failed';
  /** Attempts that have begun. As a guard it makes one process at a time try. */
  readonly attempts: number;
  /** The next attempt begins no earlier. */
  readonly nextAt: Date;
  /** The error of the last attempt, without keys. */
  readonly error: string | null;
};
/** The time from which on this installation sends notices: its first process looked for some. */
export type SinceDocument = OfInstallation & { readonly _id: 'since'; readonly at: Date; readonly state: 'since' };
export type StoredNotice = NoticeDocument | SinceDocument;

/** What a tracker (MLflow, TensorBoard, Weights & Biases) has of a run. `_id` is `tracker:run`. */
export type TrackingDocument = {
  readonly _id: string;
  readonly run: RunId;
  readonly tracker: string;
  /** The last step that it has (-1: none), and the id of its marker: after a rewind the step has another one. */
  readonly step: number;
  readonly marker: string | null;
  /** Number of rewinds of steps that it had. Each begins another run in the tracker, for it takes nothing back. */
  readonly rewinds: number;
  /** Length of its file, where it has one. */
  readonly bytes: number;
  /** Generation and state of the run when it had all of it; else empty. */
  readonly seen: string;
  /** Attempts that have begun. As a guard it makes one process at a time send. */
  readonly attempts: number;
  /** The next attempt begins no earlier. */
  readonly nextAt: Date;
  /** The error of the last attempt, without keys. */
  readonly error: string | null;
};
