// The store as activities and the CLI see it: verbs of the domain, each safe to repeat. Implemented on MongoDB's portable
// profile (mongo/) and in memory for unit tests (memory/); one contract suite runs against both.
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { Population } from '../../evolution/population.ts';
import type { BlobRef, ChangeSet, ProgramId, RunId } from '../../evolution/types.ts';
import type {
  BestProgram, DeltaDocument, EvaluationDocument, ProgramDocument, PromptDocument, RolloutDocument, RunDocument, RunStatus, RunTotals, StepDocument,
} from './documents.ts';

export type NewRun = {
  readonly run: RunId; readonly config: RunConfig; readonly taskDigest: string; readonly evaluatorDigest: string; readonly offlineModel: boolean;
  readonly createdAt: Date;
};

export type Commit = {
  readonly run: RunId; readonly step: number; readonly epoch: number; readonly generation: number;
  readonly changeSet: ChangeSet; readonly programs: readonly ProgramDocument[];
  /** Run totals and best including this step: absolute, so that a retry changes nothing. */
  readonly totals: RunTotals; readonly best: BestProgram | null;
};

/** Another execution owns the run's future (reset, rewind): stop, write nothing. */
export class SupersededError extends Error { override readonly name = 'SupersededError'; }
/** Two different contents under one id where content must be deterministic. */
export class ConflictError extends Error { override readonly name = 'ConflictError'; }

export interface Store {
  // texts, content-addressed; compressed when that makes them smaller
  putTexts(texts: readonly string[]): Promise<readonly BlobRef[]>;
  getTexts(refs: readonly BlobRef[]): Promise<ReadonlyMap<BlobRef, string>>;

  // runs
  /** Insert-or-get. `created: false` when the run was there already (its stored document is returned). */
  createRun(run: NewRun): Promise<{ readonly created: boolean; readonly run: RunDocument }>;
  readRun(run: RunId): Promise<RunDocument | null>;
  /** Newest first. */
  listRuns(): Promise<readonly RunDocument[]>;
  setStatus(run: RunId, status: RunStatus, detail: { reason?: string | null; stopReason?: string | null; endedAt?: Date | null }): Promise<void>;
  setConfig(run: RunId, config: RunConfig, fromVersion: number): Promise<number>;
  setIsolation(run: RunId, isolation: string): Promise<void>;

  // steps
  /** Fence: returns the generation that writes of this opening carry; the same owner gets the same answer again. */
  openStep(run: RunId, step: number, owner: string): Promise<number>;
  readStep(run: RunId, step: number, generation: number): Promise<StepDocument | null>;

  // what a step makes, all insert-or-get by id: the stored document wins and is returned, in the order asked
  putPrompts(documents: readonly PromptDocument[]): Promise<readonly PromptDocument[]>;
  getPrompts(ids: readonly string[]): Promise<ReadonlyMap<string, PromptDocument>>;
  putRollouts(documents: readonly RolloutDocument[]): Promise<readonly RolloutDocument[]>;
  getRollouts(ids: readonly ProgramId[]): Promise<ReadonlyMap<ProgramId, RolloutDocument>>;
  putDeltas(documents: readonly DeltaDocument[]): Promise<readonly DeltaDocument[]>;
  getDeltas(ids: readonly ProgramId[]): Promise<ReadonlyMap<ProgramId, DeltaDocument>>;
  putEvaluations(documents: readonly EvaluationDocument[]): Promise<readonly EvaluationDocument[]>;
  getEvaluations(ids: readonly string[]): Promise<ReadonlyMap<string, EvaluationDocument>>;
  /** Of these hashes, those that an evaluated program of an earlier committed step has, with the earliest such program. */
  knownHashes(run: RunId, hashes: readonly string[], beforeStep: number): Promise<ReadonlyMap<string, ProgramId>>;

  // programs and population
  getPrograms(ids: readonly ProgramId[]): Promise<ReadonlyMap<ProgramId, ProgramDocument>>;
  /** All candidates in (step, slot) order, read in pages. The initial program (step 0) comes first. */
  eachProgram(run: RunId, options?: { readonly fromStep?: number }): AsyncIterable<ProgramDocument>;
  /** The population after the last committed step; cached under the commit point. */
  population(run: RunId): Promise<Population>;
  /** Writes programs, stores the change set, moves the commit point, applies projections; repeating it changes nothing.
   *  Throws SupersededError when generation or predecessor do not match and the step is not already ours. */
  commit(commit: Commit): Promise<RunDocument>;
  /** Every document of a run, collection by collection, in `_id` order, for export. */
  exportRun(run: RunId): AsyncIterable<{ readonly collection: string; readonly document: Record<string, unknown> }>;

  close(): Promise<void>;
}
