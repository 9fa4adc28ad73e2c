// The store as activities and the CLI see it: operations of the domain, each safe to repeat. It is implemented on a
// small part of MongoDB (mongo/), and in tests in memory; one contract suite runs against both.
import type { Paid } from '../../evolution/budget/money.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { Population } from '../../evolution/population/population.ts';
import type { StreamPlace, StreamStep } from '../../evolution/schedule/stream.ts';
import type { BlobRef, ChangeSet, ProgramId, RunId } from '../../evolution/types.ts';
import type {
  BestProgram,
  InjectionDocument,
  NewFork,
  RunDocument,
  RunResults,
  RunTotals,
  StepDocument,
  SweepDocument,
  TaskDocument,
  TaskOfRun,
  UnansweredSum,
} from './documents/documents.ts';
import type { Parked, RunStatus } from '../../evolution/run-states.ts';
import type { DatabaseIdentity } from './documents/identity.ts';
import type { InstallationStore } from './upkeep/installation.ts';
import type { Exported } from './exchange/every-document.ts';
import type { Imported } from './exchange/import-runs.ts';
import type { CheckedExport } from './exchange/import.ts';
import type { LearningStore } from './documents/learning-documents.ts';
import type { NoticesStore } from './upkeep/notices.ts';
import type { Pruning } from './upkeep/pruning.ts';
import type { RateVerbs } from './upkeep/rates.ts';
import type {
  BookedStage,
  BookingDocument,
  CallDocument,
  DeltaDocument,
  EmbeddingDocument,
  EvaluationDocument,
  ProgramDocument,
  PromptDocument,
  RequestDocument,
  RolloutDocument,
  Unanswered,
} from './documents/step-documents.ts';

export type NewRun = {
  readonly run: RunId;
  readonly config: RunConfig;
  readonly taskDigest: string;
  readonly evaluatorDigest: string;
  readonly offlineModel: boolean;
  readonly createdAt: Date;
  readonly taskSnapshot?: string | undefined;
  /** Left out means running and without a sweep. */
  readonly status?: 'queued' | 'running';
  readonly sweep?: string | null;
  /** The start that makes the run (RunDocument.starts). */
  readonly start?: string | null;
};

export type Commit = {
  readonly run: RunId;
  readonly step: number;
  readonly epoch: number;
  readonly generation: number;
  /** Version of the settings that the step used. */
  readonly configVersion: number;
  readonly changeSet: ChangeSet;
  readonly programs: readonly ProgramDocument[];
  /** Totals and best of the run with this step. They are absolute, so that a retry changes nothing. */
  readonly totals: RunTotals;
  readonly best: BestProgram | null;
  /**
   * The owner that opened the step, for whom this commit opens the next one too. Left out means that the next step is
   * not opened yet.
   */
  readonly next?: string;
  /**
   * The run as the commit of the step before left it a moment ago, so that it is not read again. The guard of the commit
   * sees where it has changed since.
   */
  readonly after?: RunDocument;
  /** Another commit of the same process follows at once, which marks this one's step as committed too. */
  readonly followed?: boolean;
  /** Given in a stream. The place after it follows from the step before. */
  readonly stream?: Omit<StreamStep, keyof StreamPlace>;
};

/**
 * What a committed step stored, for checks. `fingerprint` is that of the rows after it; `programs` are their ids in
 * birth order.
 */
export type CommittedStep = {
  readonly step: StepDocument;
  readonly changeSet: ChangeSet;
  readonly fingerprint: string;
  readonly programs: readonly ProgramId[];
};

export type RunStanding = Pick<
  RunDocument,
  '_id' | 'status' | 'statusReason' | 'committedStep' | 'generation' | 'configVersion' | 'endedAt'
>;

/** Which programs a committed step has, in birth order. `run` and `generation` name the commit. */
export type CommittedPrograms = Pick<StepDocument, 'run' | 'step' | 'generation'> & {
  readonly programs: readonly ProgramId[];
};

export interface Store extends LearningStore, InstallationStore, RateVerbs, NoticesStore {
  /** What `evolve prune` finds and removes. */
  readonly pruning: Pruning;

  /** Insert-or-get, and the same for ever. */
  identity(): Promise<DatabaseIdentity>;
  /** Checks of the keys with which this installation encrypts payloads, by id (activities/payloads/keys.ts). */
  payloadKeys(): Promise<{ readonly [id: string]: string }>;
  /** Keeps a check unless there is one of this id, and resolves to those that are then there. */
  keepPayloadKey(id: string, check: string): Promise<{ readonly [id: string]: string }>;

  // texts, content-addressed; compressed when that makes them smaller
  putTexts(texts: readonly string[]): Promise<readonly BlobRef[]>;
  getTexts(refs: readonly BlobRef[]): Promise<ReadonlyMap<BlobRef, string>>;

  // tasks, content-addressed; see kept-task.ts
  /** Insert-or-get. */
  putTask(task: TaskDocument): Promise<TaskDocument>;
  readTask(digest: string): Promise<TaskDocument | null>;

  // runs
  /** Insert-or-get. `created` is false when the run was there already; its stored document is returned. */
  createRun(run: NewRun): Promise<{ readonly created: boolean; readonly run: RunDocument }>;
  readRun(run: RunId): Promise<RunDocument | null>;
  /** Newest first. */
  listRuns(): Promise<readonly RunDocument[]>;
  /** Where every run is, in a few fields, so that somebody who looks on can be told that something changed. */
  runStates(): Promise<readonly RunStanding[]>;
  setStatus(
    run: RunId,
    status: RunStatus,
    detail: {
      reason?: string | null;
      parked?: Parked | null;
      stopReason?: string | null;
      endedAt?: Date | null;
      starts?: readonly string[] | undefined;
      pausedMs?: number | undefined;
    },
  ): Promise<void>;
  /** `by` is the message that asked for it, which is kept in the run document's `changes`. Returns the new version. */
  setConfig(run: RunId, config: RunConfig, fromVersion: number, by?: string): Promise<number>;
  /** The settings of a version. They never change, so they may be kept. */
  readConfig(run: RunId, version: number): Promise<RunConfig>;
  setIsolation(run: RunId, isolation: string): Promise<void>;
  /** The queue of evaluations that the run's task needs. */
  setQueue(run: RunId, queue: string): Promise<void>;
  /** Queues beside the common one on which runs evaluate that have not ended. */
  openQueues(): Promise<readonly string[]>;
  setResults(run: RunId, results: RunResults): Promise<void>;
  /**
   * Insert-or-get of a run that begins with steps 0 to `step` of another, as that one has them now. When the other run
   * is rewound, resampled or continued later, nothing changes here. Throws when `step` is not committed there.
   */
  createFork(fork: NewFork): Promise<{ readonly created: boolean; readonly run: RunDocument }>;

  // sweeps
  /**
   * Insert-or-get by name. When the name is known, the runs and groups of both are united: none is lost, and none is
   * there twice.
   */
  putSweep(sweep: SweepDocument): Promise<SweepDocument>;
  readSweep(name: string): Promise<SweepDocument | null>;
  /** Newest first. */
  listSweeps(): Promise<readonly SweepDocument[]>;
  /** The same of sweeps. */
  sweepStates(): Promise<readonly Pick<SweepDocument, '_id' | 'status' | 'endedAt'>[]>;
  setSweep(
    name: string,
    fields: Partial<Pick<SweepDocument, 'status' | 'stopReason' | 'decisions' | 'endedAt'>>,
  ): Promise<void>;

  // steps
  /** The fence. Returns the generation that writes of this opening carry; the same owner gets the same answer again. */
  openStep(run: RunId, step: number, owner: string): Promise<number>;
  readStep(run: RunId, step: number, generation: number): Promise<StepDocument | null>;
  /** When the step of the run as it is now was committed; null where it is not. */
  committedAt(run: RunId | RunDocument, step: number): Promise<Date | null>;
  /**
   * The committed steps from `from` on (0 when left out), in order. `run` is the run that made the step. For a fork's
   * first steps it is the other run, and `configVersion` then counts that run's settings.
   */
  eachStep(run: RunId | RunDocument, from?: number): AsyncIterable<StepDocument>;
  /** The same steps, each with what it did to the population. */
  eachCommitted(run: RunId, from?: number): AsyncIterable<CommittedStep>;
  /** The ids of what the same steps made, with nothing read but their markers. */
  eachStepPrograms(run: RunId | RunDocument, from?: number): AsyncIterable<CommittedPrograms>;
  /** Steps that were rewound, oldest generation first, then by step. They stay readable; it is a scan. */
  supersededSteps(run: RunId): Promise<readonly StepDocument[]>;
  /** The epoch under which a step asks for responses. */
  epochOf(run: RunId, step: number): Promise<number>;
  /**
   * From this step on, responses are asked for afresh: it raises the epoch and sets the paid responses of an
   * uncommitted step aside. An attempt at the step that is under way is fenced off, and its owner opens it again. The
   * same `by` again changes nothing. Returns the epoch. Throws RangeError when the step is committed, because it has to
   * be rewound first. With `task`, in the same write, the run has another task from here on: where nothing that it has
   * was scored by the one before.
   */
  resample(run: RunId, step: number, by: string, task?: TaskOfRun): Promise<number>;

  // programs that people inject
  /** Insert-or-get. */
  inject(injection: InjectionDocument): Promise<InjectionDocument>;
  /**
   * The injected programs of a step, in their places: those that it took before, and those that still wait, which get
   * places now.
   */
  takeInjections(run: RunId, step: number): Promise<readonly InjectionDocument[]>;
  /** The steps that took programs; only their plans take them, so each is the first of its window or stream. */
  injectedSteps(run: RunId): Promise<ReadonlySet<number>>;

  // what a step makes, all insert-or-get by id: the stored document wins and is returned, in the order asked
  putPrompts(documents: readonly PromptDocument[]): Promise<readonly PromptDocument[]>;
  getPrompts(ids: readonly string[]): Promise<ReadonlyMap<string, PromptDocument>>;
  putRequests(documents: readonly RequestDocument[]): Promise<readonly RequestDocument[]>;
  getRequests(ids: readonly string[]): Promise<ReadonlyMap<string, RequestDocument>>;
  putCalls(documents: readonly CallDocument[]): Promise<readonly CallDocument[]>;
  getCalls(ids: readonly string[]): Promise<ReadonlyMap<string, CallDocument>>;
  putRollouts(documents: readonly RolloutDocument[]): Promise<readonly RolloutDocument[]>;
  getRollouts(ids: readonly ProgramId[]): Promise<ReadonlyMap<ProgramId, RolloutDocument>>;
  putDeltas(documents: readonly DeltaDocument[]): Promise<readonly DeltaDocument[]>;
  getDeltas(ids: readonly ProgramId[]): Promise<ReadonlyMap<ProgramId, DeltaDocument>>;
  /** What is put here is kept in memory until a commit has read it; what is read from the database is not. */
  putEmbeddings(documents: readonly EmbeddingDocument[]): Promise<readonly EmbeddingDocument[]>;
  getEmbeddings(ids: readonly ProgramId[]): Promise<ReadonlyMap<ProgramId, EmbeddingDocument>>;
  putEvaluations(documents: readonly EvaluationDocument[]): Promise<readonly EvaluationDocument[]>;
  getEvaluations(ids: readonly string[]): Promise<ReadonlyMap<string, EvaluationDocument>>;
  /**
   * Of these hashes, those that an evaluated program of an earlier committed step has, each with the earliest such
   * program.
   */
  knownHashes(run: RunId, hashes: readonly string[], beforeStep: number): Promise<ReadonlyMap<string, ProgramId>>;

  // requests that left (bookings.ts)
  /** Returns false, with nothing changed, where this sending is booked already. */
  book(booking: BookingDocument): Promise<boolean>;
  /** What is booked for one answer, in the order of sending. */
  bookingsFor(stage: BookedStage, answer: string): Promise<readonly BookingDocument[]>;
  /** The request cost nothing, or its answer is stored and says what it cost. */
  settleBookings(ids: readonly string[]): Promise<void>;
  /** The request has no answer that counts, and is paid for as the document says. */
  keepBooking(booking: BookingDocument): Promise<void>;
  /** What the run sent and got no answer for that counts. */
  unanswered(run: RunId, now?: Date): Promise<Unanswered>;
  /** The sums of `unanswered` alone, which cost less. */
  owed(run: RunId, now?: Date): Promise<UnansweredSum>;
  /**
   * Everything that the run has paid for by now: committed steps, what was set aside, what is stored for steps under
   * way, and requests without an answer.
   */
  paidNow(run: RunId, now?: Date): Promise<Paid>;

  // programs and population
  /** With a run that was just read, programs of it that this process knows are not read again. */
  getPrograms(ids: readonly ProgramId[], run?: RunDocument): Promise<ReadonlyMap<ProgramId, ProgramDocument>>;
  /** All candidates in (step, slot) order, read in pages. The initial program (step 0) comes first. */
  eachProgram(run: RunId | RunDocument, options?: { readonly fromStep?: number }): AsyncIterable<ProgramDocument>;
  /**
   * The population after the last committed step; cached under the commit point. Here and in what else takes a document,
   * one that was just read through this store saves a read.
   */
  population(run: RunId | RunDocument): Promise<Population>;
  /**
   * Reads from the population with no commit in between. `step` is the committed step after which it is the population.
   */
  readPopulation<T>(run: RunId, read: (population: Population, step: number) => T): Promise<T>;
  /**
   * Writes programs, stores the change set, moves the commit point and applies projections. Repeating it changes
   * nothing. Throws SupersededError when generation or predecessor do not match and the step is not already this
   * commit's.
   */
  commit(commit: Commit): Promise<RunDocument>;
  /**
   * Every document of a run and of those that it was forked off, collection by collection, in the order of `_id`; then
   * the texts that they refer to.
   */
  exportRun(run: RunId): AsyncIterable<Exported>;
  /**
   * Puts the runs of an export into the database: all of them or, as far as a reader can see, none. Runs that it was
   * forked off may be there already. Throws ConflictError where the run itself is, or where those have changed.
   */
  importRuns(checked: CheckedExport): Promise<Imported>;

  close(): Promise<void>;
}
