// The documents of every collection, as stored. Keys hold no `.` or `$`; every document but a blob carries `run`.
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { ChangeLabel, CompleteDelta } from '../../evolution/deltas/delta.ts';
import type { RoundOutcome } from '../../evolution/ideas/rounds.ts';
import type { Evaluation } from '../../evolution/scoring/evaluation.ts';
import type {
  AskedWith,
  BlobRef,
  Json,
  Message,
  Outcome,
  PopulationState,
  ProgramId,
  RunId,
  Stage,
  Usage,
} from '../../evolution/types.ts';

/** `queued`: made by a sweep, not started yet. */
export type RunStatus = 'queued' | 'running' | 'paused' | 'needs attention' | 'stopped' | 'finished';

/** Sums over committed steps, set absolutely by each commit. The initial program counts in none of them. */
export type RunTotals = {
  readonly programs: number;
  readonly valid: number;
  readonly failures: { readonly [outcome in Exclude<Outcome, 'valid'>]?: number };
  readonly tokens: Usage;
  readonly costUsd: number;
  /** Programs made after the one that is best now. */
  readonly sinceBest: number;
  /**
   * Lines that edits added, and how many of them an ancestor had deleted. Left out in runs of versions that did not
   * count them.
   */
  readonly lines?: EditedLines;
  /** What became of the rounds, in runs that have ideas. */
  readonly rounds?: RoundTotals;
};

/** `wouldBe`: ideas that a gate in the shadow would have stopped, and how many of them failed. */
export type RoundTotals = {
  readonly counts: { readonly [outcome in RoundOutcome]?: number };
  readonly wouldBe?: {
    readonly [verdict in 'rejected' | 'unparsed']?: { readonly rounds: number; readonly failed: number };
  };
};

export type EditedLines = { readonly added: number; readonly reintroduced: number };

/** What was paid for in steps that a rewind or a resampling set aside, by step and epoch (paid.ts). */
export type SetAside = {
  readonly step: number;
  readonly epoch: number;
  readonly programs: number;
  readonly tokens: Usage;
  readonly costUsd: number;
};

/**
 * From this step on responses are asked for under this epoch; `by` is the command that asked, so that its retry
 * changes nothing.
 */
export type EpochStart = { readonly step: number; readonly epoch: number; readonly by: string };

export type BestProgram = {
  readonly program: ProgramId;
  readonly score: number;
  readonly strictScore: number | null;
  readonly step: number;
};

export type RunDocument = {
  readonly _id: RunId;
  readonly run: RunId;
  readonly config: RunConfig;
  /** Rises with every change of settings; configs[version] are kept in `events`. */
  readonly configVersion: number;
  /**
   * Ids of the last messages that changed the settings: one that comes again, after a reset by hand, changes nothing.
   */
  readonly changes: readonly string[];
  /** Of the task with all that models are told of it (task-digest.ts). */
  readonly taskDigest: string;
  /** Part of every evaluation's key. */
  readonly evaluatorDigest: string;
  readonly createdAt: Date;
  readonly schemaVersion: number;
  readonly status: RunStatus;
  readonly statusReason: string | null;
  readonly stopReason: string | null;
  readonly endedAt: Date | null;
  /** Fence: raised when a step is opened again after it, or a later one, was opened (openings: who opened what). */
  readonly generation: number;
  readonly openings: { readonly step: number; readonly owner: string } | null;
  /** -1 before the initial program is committed (step 0). */
  readonly committedStep: number;
  readonly view: number;
  readonly population: PopulationState;
  readonly totals: RunTotals;
  readonly best: BestProgram | null;
  readonly offlineModel: boolean;
  readonly isolation: string | null;
  /**
   * In the order asked: for a step the last one holds whose `step` is not above it (paid.ts). Empty: epoch 0
   * throughout.
   */
  readonly epochs: readonly EpochStart[];
  readonly setAside: readonly SetAside[];
  /** The run and the step after which this one was forked off; everything up to that step is the other run's. */
  readonly origin: { readonly run: RunId; readonly step: number } | null;
  /** The sweep that made it. */
  readonly sweep: string | null;
};

/** What is known of a group before it is asked anything. */
export type GroupPlan = Omit<PromptDocument, 'system' | 'user' | 'messages'>;

export type PromptDocument = {
  readonly _id: string;
  readonly run: RunId;
  readonly step: number;
  readonly epoch: number;
  readonly group: number;
  readonly system: BlobRef;
  readonly user: BlobRef;
  readonly parent: ProgramId;
  readonly island: number;
  readonly priorPrograms: readonly ProgramId[];
  /** The whole conversation, where it is more than system and user. */
  readonly messages?: readonly StoredMessage[];
  /** Calls come before the programs: what is asked for these is in `requests`, system and user here are empty. */
  readonly first?: Stage;
  readonly operator?: 'exploit' | 'explore';
  /** The evolved prompt that the group begins with. */
  readonly prompt?: { readonly id: string; readonly text: BlobRef };
  /** Further programs shown beside the parent, and why. */
  readonly context?: readonly Shown[];
  /** The parent is the initial program, and children are roots: the island is being founded. */
  readonly founding?: true;
  /** Which weighted meta-information part was drawn. */
  readonly part: string;
  /** Version of the settings that the step goes by, even when it is begun again. */
  readonly configVersion: number;
  /** Digest of the task that the prompt was written by, where it has changed since the run began. */
  readonly task?: string;
};

/** Messages as they are stored. */
export type StoredMessage = { readonly role: Message['role']; readonly content: BlobRef };

/** What a group is asked in a stage, and (`program`) for its programs where stages come before them. */
export type RequestDocument = {
  /** `run:step:epoch:group:stage`; `repair`: the id of the response, and the stage. */
  readonly _id: string;
  readonly run: RunId;
  readonly step: number;
  readonly epoch: number;
  readonly group: number;
  readonly stage: Stage | 'program' | 'repair';
  /** None: the group was refused, and nothing is asked. */
  readonly messages: readonly StoredMessage[];
  /** `program`: what the stages came to. */
  readonly made?: StagesMade;
};
/**
 * `idea`: its text. `would`: what a gate that is on says. `prompt`: the evolved prompt that the programs are asked
 * with.
 */
export type StagesMade = {
  readonly idea?: { readonly text: BlobRef; readonly score: number | null; readonly would: string | null };
  readonly prompt?: AskedWith;
};

/**
 * What came of the call for a delta that an answer left out: it gave what was missing, or (with the reason) did not,
 * and the summary is mechanical.
 */
export type Repair = { readonly outcome: 'repaired' } | { readonly outcome: 'failed'; readonly reason: string };

/** The answer to a stage of a group; `_id` as in RequestDocument. */
export type CallDocument = {
  readonly _id: string;
  readonly run: RunId;
  readonly step: number;
  readonly epoch: number;
  readonly group: number;
  readonly stage: Stage | 'repair';
  readonly response: BlobRef;
  readonly reasoning: BlobRef | null;
  readonly model: string;
  readonly finishReason: string | null;
  readonly usage: Usage;
  readonly costUsd: number;
} & Asked;

export type Shown = {
  readonly id: ProgramId;
  readonly role: 'elite' | 'diverse' | 'inspiration' | 'best' | 'ancestor';
};

export type RolloutDocument = {
  readonly _id: ProgramId;
  readonly run: RunId;
  readonly step: number;
  readonly epoch: number;
  readonly group: number;
  readonly slot: number;
  readonly response: BlobRef;
  readonly reasoning: BlobRef | null;
  readonly model: string;
  readonly finishReason: string | null;
  readonly usage: Usage;
  readonly costUsd: number;
} & Asked;

/** How a model was asked, where that is not plain. */
export type Asked = {
  /** Its name in the settings, where the endpoint answered with another. */
  readonly asked?: string;
  /** Settings that the endpoint refuses: the request went without them. */
  readonly unsent?: readonly string[];
};

/** What applying a response to its parent gave, before any evaluation. */
export type DeltaDocument = {
  readonly _id: ProgramId;
  readonly run: RunId;
  readonly step: number;
  readonly slot: number;
  /** Null: the initial program, or one that a person injected. */
  readonly parent: ProgramId | null;
  /** The island of an injected program. */
  readonly island?: number;
  /** Decided early, or null: to be evaluated. */
  readonly outcome: Extract<
    Outcome,
    'rejected' | 'unparsed' | 'idea_failed' | 'rm_failed' | 'no_diff' | 'no_change' | 'duplicate' | 'no_solution'
  > | null;
  readonly reason: string | null;
  readonly code: BlobRef | null;
  readonly normHash: string | null;
  readonly length: number;
  readonly blocks: number;
  readonly unmatched: readonly { readonly block: number; readonly reason: string }[];
  /** Blocks that were applied to the first of several places; left out where there is none. */
  readonly ambiguous?: readonly { readonly block: number; readonly reason: string }[];
  /** The program this one duplicates, when the outcome is duplicate. */
  readonly duplicateOf: ProgramId | null;
  /** The change in the model's own words, complete; where prompts ask for it. */
  readonly change?: CompleteDelta;
  /** What the edits did to the parent's lines (evolution/reintroduced.ts); left out where nothing is evaluated. */
  readonly lines?: DeltaLines;
};

/** `deleted`: hashes. `returned`: the first lines that came back after an ancestor had deleted them. */
export type DeltaLines = EditedLines & { readonly deleted: readonly string[]; readonly returned: readonly string[] };

/**
 * A program's vector as its step made it, and how near it was to the population at the step's start. For what passed
 * the early checks, in runs that have an embedding model. `_id` is the delta's.
 */
export type EmbeddingDocument = {
  readonly _id: ProgramId;
  readonly run: RunId;
  readonly step: number;
  readonly model: string;
  /**
   * Unit length, little-endian Float32; zeros where the endpoint gave zeros, empty where it takes nothing of this
   * text.
   */
  readonly vector: Uint8Array;
  /**
   * The text was longer than the endpoint takes: the vector is that of its beginning, and the program is never a
   * near-duplicate.
   */
  readonly cut?: true;
  /**
   * The most similar program that was alive, by cosine in [-1, 1]; null: compared with none (`embedding.threshold`
   * null, no parent, cut).
   */
  readonly nearest: { readonly program: ProgramId; readonly similarity: number } | null;
  /** Its similarity is above `embedding.threshold`: not evaluated. */
  readonly duplicate: boolean;
  /** The feature `embedding`: mean of 1 - cosine over the population's reference programs, in [0, 2]; 0 without any. */
  readonly distance: number;
  /** What it was paid with: its share of the request. */
  readonly tokens: number;
  readonly costUsd: number;
};

export type EvaluationDocument = Omit<Evaluation, 'solution'> & {
  /** `run:code:evaluator:seed`. */
  readonly _id: string;
  readonly run: RunId;
  readonly code: BlobRef;
  readonly solution: BlobRef | null;
};

/** One per candidate made, whatever became of it; written at commit, in slot order. */
export type ProgramDocument = {
  readonly _id: ProgramId;
  readonly run: RunId;
  readonly step: number;
  readonly epoch: number;
  readonly slot: number;
  readonly generation: number;
  readonly bornSeq: number;
  readonly parents: readonly ProgramId[];
  readonly island: number;
  readonly outcome: Outcome;
  readonly reasons: readonly string[];
  readonly score: number | null;
  readonly strictScore: number | null;
  readonly fit?: number;
  readonly reward: number;
  readonly code: BlobRef | null;
  readonly normHash: string | null;
  readonly length: number;
  readonly evaluation: string | null;
  readonly sameAs?: ProgramId;
  /** One of those with which its island was founded: made of the initial program, a root. */
  readonly founder?: true;
  /** The change in the model's own words, and how it did against its parent. */
  readonly change?: CompleteDelta & { readonly label: ChangeLabel; readonly repair?: Repair };
  /** The idea that it carries out. */
  readonly idea?: { readonly text: BlobRef; readonly score: number | null; readonly would: string | null };
  /** The evolved prompt that asked for it. */
  readonly prompt?: AskedWith;
  /** Measured features, as in Member. */
  readonly values?: readonly (number | null)[];
  readonly lines?: EditedLines;
  /**
   * Blocks of the answer that do not apply, or apply to one of several places, though the program came of it; left
   * out where there is none.
   */
  readonly edits?: readonly { readonly block: number; readonly reason: string }[];
};

export type StepDocument = {
  /** `run:step:generation`. */
  readonly _id: string;
  readonly run: RunId;
  readonly step: number;
  readonly generation: number;
  readonly epoch: number;
  readonly state: 'prepared' | 'committed' | 'superseded';
  /** The ChangeSet, as zstd-compressed JSON in a blob: it may be large. */
  readonly changeSet: BlobRef;
  readonly totals: RunTotals;
  readonly best: BestProgram | null;
  readonly population: PopulationState;
  readonly configVersion: number;
  /** When it was prepared. */
  readonly at: Date;
};

/** A program that a person put into an island: it becomes a candidate of the next step, after the model's. */
export type InjectionDocument = {
  /** `run:inject:key`. */
  readonly _id: string;
  readonly run: RunId;
  readonly island: number;
  readonly code: BlobRef;
  readonly at: Date;
  /** The step that took it, and its place among the injected programs of that step; null while it waits. */
  readonly place: { readonly step: number; readonly index: number } | null;
};

/** One run of a sweep. `group` numbers the configurations: runs of one group differ in seed and repetition only. */
export type SweepRun = { readonly run: RunId; readonly group: number; readonly seed: number; readonly repeat: number };
export type SweepStatus = 'running' | 'paused' | 'stopped' | 'finished';
/** What successive halving decided at a number of programs. */
export type RungDecision = {
  readonly programs: number;
  /** Best first. `score`: mean of the group's best scores; null: nothing valid. */
  readonly ranking: readonly { readonly group: number; readonly score: number | null }[];
  readonly stopped: readonly number[];
};
export type SweepDocument = {
  /** The sweep's name. */
  readonly _id: string;
  readonly run: string;
  /** As it was given, `name` resolved. */
  readonly spec: Json;
  /** Settings of each group that differ from the base, by dotted key. */
  readonly groups: readonly { readonly [key: string]: Json }[];
  readonly runs: readonly SweepRun[];
  readonly status: SweepStatus;
  readonly stopReason: string | null;
  readonly decisions: readonly RungDecision[];
  readonly createdAt: Date;
  readonly endedAt: Date | null;
};
