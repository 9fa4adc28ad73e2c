// What the collections hold beyond documents.ts: the store's own bookkeeping, and the table of all collections.
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { BlobRef, Cell, IslandPrompt, Membership, RunId, Tally } from '../../evolution/types.ts';
import type { PortableCollection } from './collection.ts';
import type { InjectionDocument, RunDocument, StepDocument, SweepDocument, TaskDocument } from './documents.ts';
import type { IdentityDocument } from './identity.ts';
import type {
  CallDocument,
  DeltaDocument,
  EmbeddingDocument,
  EvaluationDocument,
  ProgramDocument,
  PromptDocument,
  RequestDocument,
  RolloutDocument,
} from './step-documents.ts';

export const SCHEMA_VERSION = 2;

/**
 * From this step on (until the next era's step) the run's commits are those of this generation of `run`: itself, or
 * one that it was forked off.
 */
export type Era = { readonly step: number; readonly generation: number; readonly run: RunId };

export type StoredRun = RunDocument & {
  /** Counts openings and resamplings: the guard that makes one follow another. */
  readonly opening: number;
  readonly lineage: readonly Era[];
  /** Of the rows after the committed step (rows.ts): what a load must arrive at. */
  readonly fingerprint: string;
};
/** Where all rows after a step are written out; a fork may begin with another run's. */
export type Snapshot = { readonly run: RunId; readonly view: number; readonly step: number; readonly pages: number };

export type StoredStep = StepDocument & {
  readonly fingerprint: string;
  /** To start a load from; null: from nothing. */
  readonly snapshot: Snapshot | null;
  /** Rows that the change sets after the snapshot add, remove or set, this step's included. */
  readonly changesSince: number;
  /** First and last slot of each unbroken sequence of the step's programs: their ids follow, without an index. */
  readonly slots: readonly (readonly [first: number, last: number])[];
};
/** `knownHash`: the code hash of an evaluated program, so that looking hashes up never meets their duplicates. */
export type StoredProgram = ProgramDocument & { readonly knownHash?: string };

/** Who opened which step, once it is no longer the run's current opening. `_id` is `run:step:owner`. */
export type OpeningDocument = Era & { readonly _id: string; readonly owner: string };
export type BlobDocument = {
  readonly _id: BlobRef;
  readonly enc: 'raw' | 'zstd';
  readonly rawLen: number;
  readonly data: Uint8Array;
};
/** A page of a snapshot: who is alive after a step. `_id` is `run:view:step:page`, in `cells` too. */
export type PopulationPage = {
  readonly _id: string;
  readonly run: RunId;
  readonly view: number;
  readonly step: number;
  readonly page: number;
  readonly members: readonly Membership[];
};
/**
 * A page of a snapshot: who owns which cell after a step, what became of programs as parents where that is counted,
 * and prompts where they evolve.
 */
export type CellPage = Omit<PopulationPage, 'members'> & {
  readonly cells: readonly Cell[];
  readonly tallies?: readonly Tally[];
  readonly prompts?: readonly IslandPrompt[];
};
/** Settings that were replaced, `_id` is `run:config:version`. */
export type EventDocument = {
  readonly _id: string;
  readonly run: RunId;
  readonly type: 'config';
  readonly version: number;
  readonly config: RunConfig;
};

/** Which step took which injected program, in the order taken; one document a run, `_id` is `run:places`. */
export type PlacesDocument = {
  readonly _id: string;
  readonly run: RunId;
  readonly revision: number;
  readonly places: readonly { readonly injection: string; readonly step: number; readonly index: number }[];
};
/** `spec` and each of `groups` as JSON. `revision` counts unions. */
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
  readonly injections: PortableCollection<InjectionDocument>;
  readonly places: PortableCollection<PlacesDocument>;
  readonly sweeps: PortableCollection<StoredSweep>;
  readonly prompts: PortableCollection<PromptDocument>;
  readonly rollouts: PortableCollection<RolloutDocument>;
  readonly deltas: PortableCollection<DeltaDocument>;
  readonly requests: PortableCollection<RequestDocument>;
  readonly calls: PortableCollection<CallDocument>;
  readonly embeddings: PortableCollection<EmbeddingDocument>;
  readonly evaluations: PortableCollection<EvaluationDocument>;
  readonly programs: PortableCollection<StoredProgram>;
  readonly population: PortableCollection<PopulationPage>;
  readonly cells: PortableCollection<CellPage>;
  /** Shared by runs, as `blobs` is. */
  readonly tasks: PortableCollection<TaskDocument>;
  readonly blobs: PortableCollection<BlobDocument>;
  readonly identity: PortableCollection<IdentityDocument>;
};
export const COLLECTIONS = [
  'runs',
  'openings',
  'steps',
  'events',
  'injections',
  'places',
  'sweeps',
  'prompts',
  'requests',
  'calls',
  'rollouts',
  'deltas',
  'embeddings',
  'evaluations',
  'programs',
  'population',
  'cells',
  'tasks',
  'blobs',
  'identity',
] as const satisfies readonly (keyof Collections)[];
