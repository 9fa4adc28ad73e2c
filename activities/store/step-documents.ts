// What a step makes, as stored: prompts, answers, what their edits gave, what running them gave, programs. Keys hold no
// `.` or `$`; every document carries `run`.
import type { ChangeLabel, CompleteDelta } from '../../evolution/deltas/delta.ts';
import type { Evaluation } from '../../evolution/scoring/evaluation.ts';
import type { AskedWith, BlobRef, Message, Outcome, ProgramId, RunId, Stage, Usage } from '../../evolution/types.ts';
import type { EditedLines } from './documents.ts';

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
  /** Of its island's initialisation: the parent is the initial program, and children are roots. */
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
  /** One of its island's seed programs: made of the initial program, a root. */
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
