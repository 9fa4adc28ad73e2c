// The collections beyond documents.ts: the store's own bookkeeping, and the list of all collections.
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import type { BlobRef, Cell, IslandPrompt, Membership, RunId, Tally } from '../../../evolution/types.ts';
import type { PortableCollection } from './collection.ts';
import type {
  ActionDocument,
  InjectionDocument,
  RunDocument,
  StepDocument,
  SweepDocument,
  TaskDocument,
} from './documents.ts';
import type { IdentityDocument } from './identity.ts';
import type {
  HostDocument,
  InstallationDocument,
  RateDocument,
  StoredNotice,
  TrackingDocument,
} from './installation-documents.ts';
import type { BatchDocument, PolicyDocument, SampleDocument, UpdateDocument } from './learning-documents.ts';
import type {
  BookingDocument,
  CallDocument,
  DeltaDocument,
  EmbeddingDocument,
  EvaluationDocument,
  ProgramDocument,
  PromptDocument,
  RequestDocument,
  RolloutDocument,
} from './step-documents.ts';

/** From this step to the next era's, the commits are those of this generation of `run`: itself, or a forked-off one. */
export type Era = { readonly step: number; readonly generation: number; readonly run: RunId };

export type StoredRun = RunDocument & {
  /** Counts openings and resamplings. As a guard it makes one follow the other. */
  readonly opening: number;
  readonly lineage: readonly Era[];
  /** Fingerprint of the rows after the committed step (rows.ts), which a load must arrive at. */
  readonly fingerprint: string;
};
/** The place where all rows after a step are written out. A fork may begin with another run's snapshot. */
export type Snapshot = { readonly run: RunId; readonly view: number; readonly step: number; readonly pages: number };

export type StoredStep = StepDocument & {
  readonly fingerprint: string;
  /** The snapshot from which a load starts; null means that it starts from nothing. */
  readonly snapshot: Snapshot | null;
  /** Number of rows that the change sets after the snapshot add, remove or set, this step's included. */
  readonly changesSince: number;
  /** First and last slot of each unbroken sequence of the step's programs, from which their ids follow. */
  readonly slots: readonly (readonly [first: number, last: number])[];
};
/** `knownHash` is the code hash of an evaluated program, so that a search by hash never meets its duplicates. */
export type StoredProgram = ProgramDocument & { readonly knownHash?: string };

/** The owner of an opened step, kept when it is no longer the run's current opening. `_id` is `run:step:owner`. */
export type OpeningDocument = Era & { readonly _id: string; readonly owner: string };
export type BlobDocument = {
  readonly _id: BlobRef;
  readonly enc: 'raw' | 'zstd';
  readonly rawLen: number;
  readonly data: Uint8Array;
  /** The time at which the text was last put here, to within an hour (texts.ts). */
  readonly at: Date;
};
/** A page of a snapshot: the programs that are alive after a step. `_id` is `run:view:step:page`, in `cells` too. */
export type PopulationPage = {
  readonly _id: string;
  readonly run: RunId;
  readonly view: number;
  readonly step: number;
  readonly page: number;
  readonly members: readonly Membership[];
};
/** A page of a snapshot: the cell elites after a step, and tallies of parents and prompts where there are any. */
export type CellPage = Omit<PopulationPage, 'members'> & {
  readonly cells: readonly Cell[];
  readonly tallies?: readonly Tally[];
  readonly prompts?: readonly IslandPrompt[];
};
/** Settings that were replaced. `_id` is `run:config:version`. */
export type EventDocument = {
  readonly _id: string;
  readonly run: RunId;
  readonly type: 'config';
  readonly version: number;
  readonly config: RunConfig;
};

/** The injected programs with the steps that took them, in order. One document a run; `_id` is `run:places`. */
export type PlacesDocument = {
  readonly _id: string;
  readonly run: RunId;
  readonly revision: number;
  readonly places: readonly { readonly injection: string; readonly step: number; readonly index: number }[];
};
/** `spec` and each of `groups` are JSON. `revision` counts unions. */
export type StoredSweep = Omit<SweepDocument, 'spec' | 'groups'> & {
  readonly spec: string;
  readonly groups: readonly string[];
  readonly revision: number;
};

export type Collections = {
  readonly runs: PortableCollection<StoredRun>;
  readonly openings: PortableCollection<OpeningDocument>;
  readonly steps: PortableCollection<StoredStep>;
  readonly events: PortableCollection<EventDocument>;
  readonly actions: PortableCollection<ActionDocument>;
  readonly injections: PortableCollection<InjectionDocument>;
  readonly places: PortableCollection<PlacesDocument>;
  readonly sweeps: PortableCollection<StoredSweep>;
  readonly prompts: PortableCollection<PromptDocument>;
  readonly rollouts: PortableCollection<RolloutDocument>;
  readonly deltas: PortableCollection<DeltaDocument>;
  readonly requests: PortableCollection<RequestDocument>;
  readonly calls: PortableCollection<CallDocument>;
  readonly bookings: PortableCollection<BookingDocument>;
  readonly embeddings: PortableCollection<EmbeddingDocument>;
  readonly evaluations: PortableCollection<EvaluationDocument>;
  readonly programs: PortableCollection<StoredProgram>;
  readonly samples: PortableCollection<SampleDocument>;
  readonly policies: PortableCollection<PolicyDocument>;
  readonly updates: PortableCollection<UpdateDocument>;
  readonly batches: PortableCollection<BatchDocument>;
  readonly population: PortableCollection<PopulationPage>;
  readonly cells: PortableCollection<CellPage>;
  /** Shared by all runs, as `blobs` is. */
  readonly tasks: PortableCollection<TaskDocument>;
  readonly blobs: PortableCollection<BlobDocument>;
  readonly identity: PortableCollection<IdentityDocument>;
  /** The documents that all hosts share, and the workers at work. Neither is part of an export. */
  readonly installation: PortableCollection<InstallationDocument>;
  readonly hosts: PortableCollection<HostDocument>;
  readonly rates: PortableCollection<RateDocument>;
  readonly notices: PortableCollection<StoredNotice>;
  readonly tracking: PortableCollection<TrackingDocument>;
};
export const COLLECTIONS = [
  'runs',
  'openings',
  'steps',
  'events',
  'actions',
  'injections',
  'places',
  'sweeps',
  'prompts',
  'requests',
  'calls',
  'bookings',
  'rollouts',
  'deltas',
  'embeddings',
  'evaluations',
  'programs',
  'samples',
  'policies',
  'updates',
  'batches',
  'population',
  'cells',
  'tasks',
  'blobs',
  'identity',
  'installation',
  'hosts',
  'rates',
  'notices',
  'tracking',
] as const satisfies readonly (keyof Collections)[];

/** Their documents are up to some megabytes each, so that few of them go into a statement. */
export const LARGE_DOCUMENTS: ReadonlySet<string> = new Set(['samples', 'batches'] satisfies (keyof Collections)[]);
