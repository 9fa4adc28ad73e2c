// The documents that a step makes: prompts, responses, what their edits gave, evaluations, programs. Keys have no `.`
// and no `$`, and every document carries `run`.
import type { ChangeLabel, CompleteDelta, Disclosed } from '../../../evolution/deltas/delta.ts';
import type { Mode } from '../../../evolution/prompts/parts/aim.ts';
import type { Patch } from '../../../evolution/prompts/patch.ts';
import type { Artifact } from '../../../evolution/scoring/artifacts.ts';
import type { Evaluation } from '../../../evolution/scoring/evaluation.ts';
import type { AnsweredStage, Stage } from '../../../evolution/stages.ts';
import type {
  AskedWith,
  BlobRef,
  Message,
  Outcome,
  ProgramId,
  Rescored,
  RunId,
  Usage,
} from '../../../evolution/types.ts';
import type { EditedLines, UnansweredSum } from './documents.ts';

type OfStep = { readonly run: RunId; readonly step: number; readonly epoch: number };
type OfGroup = OfStep & { readonly _id: string; readonly group: number };

/** The plan of a group, before it is asked anything. */
export type GroupPlan = Omit<PromptDocument, 'system' | 'user' | 'messages' | 'disclosed'>;

export type PromptDocument = OfGroup & {
  readonly system: BlobRef;
  readonly user: BlobRef;
  readonly parent: ProgramId;
  readonly island: number;
  readonly priorPrograms: readonly ProgramId[];
  /** The parent first, then the nodes as they stand in the prompt; left out in styles that show no deltas. */
  readonly disclosed?: readonly Disclosed[];
  /** The whole conversation, where it is more than system and user. */
  readonly messages?: readonly StoredMessage[];
  /** The group has stages before its programs. Its requests are in `requests`, and system and user here are empty. */
  readonly first?: Stage;
  readonly operator?: 'exploit' | 'explore';
  /** The evolved prompt that the group begins with. */
  readonly prompt?: { readonly id: string; readonly text: BlobRef };
  /** What other prompts of the island gained, best first, for whoever edits the prompt: `line` is what each added. */
  readonly paid?: readonly { readonly score: number; readonly line: string | null }[];
  /** Further programs that are shown beside the parent, and why. */
  readonly context?: readonly Shown[];
  /** The group is of its island's initialisation: the initial program is its parent, and its children are seeds. */
  readonly founding?: true;
  /** The number of this group among those with this parent in the step, from 1; left out where it is the only one. */
  readonly alike?: { readonly place: number; readonly of: number };
  /** Its programs are to refine the parent, to look for another method or to replace the initial program. */
  readonly mode?: Mode;
  /** The place of the parent by score among the programs that the group knows of; left out where none is better. */
  readonly rank?: { readonly place: number; readonly of: number };
  /** The number of these programs that share the best score; left out where they are fewer than three. */
  readonly shared?: number;
  /** The kind of patch that was drawn; left out where the settings draw none. */
  readonly patch?: Patch;
  /** The recommendation that was drawn of the run's notes. */
  readonly recommended?: BlobRef;
  /** The weighted part of the task's prompt text that was drawn. */
  readonly part: string;
  /** Version of the settings that the step uses, even when it is begun again. */
  readonly configVersion: number;
  /** The policy that the trainable model answers as, decided when the step is first planned. */
  readonly policy?: string;
};

export type StoredMessage = { readonly role: Message['role']; readonly content: BlobRef };

/** The request of a group in a stage, or (`program`) for its programs. stageId or answeredId makes the id. */
export type RequestDocument = OfGroup & {
  readonly stage: Stage | 'program' | AnsweredStage;
  /** Empty when the group was refused and nothing is asked. */
  readonly messages: readonly StoredMessage[];
  /** For `program`: what the stages made. */
  readonly made?: StagesMade;
  readonly disclosed?: readonly Disclosed[];
};
/**
 * `would` is the verdict that a gate which is on would act on. `prompt` is the evolved prompt that the programs are
 * asked with. `notes` are the new notes of the run. `base` is the program that the idea is to change, where that is not
 * the group's parent.
 */
export type StagesMade = {
  readonly notes?: BlobRef;
  readonly idea?: JudgedIdea;
  readonly base?: ProgramId;
  readonly prompt?: AskedWith;
};
type JudgedIdea = { readonly text: BlobRef; readonly score: number | null; readonly would: string | null };

/** The result of the call for a delta that an answer left out. Where it failed, the summary is mechanical. */
export type Repair = { readonly outcome: 'repaired' } | { readonly outcome: 'failed'; readonly reason: string };

/** The answer to a stage of a group; `_id` is as in RequestDocument. */
export type CallDocument = Answer & { readonly stage: Stage | AnsweredStage };

export type Shown = {
  readonly id: ProgramId;
  readonly role: 'elite' | 'diverse' | 'inspiration' | 'best' | 'ancestor';
};

export type RolloutDocument = Answer & { readonly slot: number };

type Answer = OfGroup &
  Asked & {
    readonly response: BlobRef;
    readonly reasoning: BlobRef | null;
    readonly model: string;
    readonly finishReason: string | null;
    readonly usage: Usage;
    readonly costUsd: number;
  };

/** The details of a request to a model that the rest of the document does not show. */
export type Asked = Sent & {
  /** The model's name in the settings, where the endpoint answered with another. */
  readonly asked?: string;
  /** Settings that the endpoint refuses, so that the request went without them. */
  readonly unsent?: readonly string[];
  /** The policy that answered, where the model is one. */
  readonly policy?: string;
};

/** The request that brought an answer, and its cost as far as it is known. */
export type Sent = {
  /** The booking (`BookingDocument.sending`) that the answer settles; left out for the first. */
  readonly sending?: number;
  /** The endpoint named no usage, so the tokens are those of our estimate. */
  readonly estimated?: true;
};

/** The purpose of a request: the programs of a group, one of its stages, a delta that was left out, or embeddings. */
export type BookedStage = RequestDocument['stage'] | 'embedding';

/**
 * A request that left, written before it was sent, and removed when its answer is stored, which then has the cost. So a
 * booking is on its way, or has no answer that counts and is paid for nevertheless (bookings.ts).
 */
export type BookingDocument = OfStep & {
  /** `run:step:epoch:...:stage#sending`, where everything before `#` names the document that the answer would be. */
  readonly _id: string;
  readonly stage: BookedStage;
  /** `_id` of the document that the answer would be; for several responses or embeddings, that of the first. */
  readonly answer: string;
  /** Counts the sendings for one answer, from 1. */
  readonly sending: number;
  /** The execution of the step's workflow for which it was sent. */
  readonly by: string;
  /** The model's name in the settings. */
  readonly model: string;
  /** Host and port of the endpoint, or `offline`. */
  readonly endpoint: string;
  readonly at: Date;
  /** From then on a request that is still on its way counts as unanswered, because its time-out is over. */
  readonly until: Date;
  readonly state: 'sent' | 'unanswered';
  /** The tokens that count for it: those that the endpoint named, else our estimate of the prompt and of what came. */
  readonly usage: Usage;
  readonly costUsd: number;
  readonly estimated: boolean;
  /** The most tokens that its answer may have. */
  readonly maxOut: number;
  /** The reason for which no answer counts; null while it is on its way. */
  readonly reason: string | null;
  /** The text that came all the same, cut to a bounded length. */
  readonly response: BlobRef | null;
};

/** Requests that were sent and have no answer that counts, with what counts for them. */
export type Unanswered = UnansweredSum & {
  /** Number of requests that count with our estimate, because the endpoint named no usage. */
  readonly estimated: number;
  /** Requests that are on their way now. They count in none of the other sums. */
  readonly waiting: number;
  /** The requests of which the sums are made, oldest first. */
  readonly bookings: readonly BookingDocument[];
};

/**
 * The outcome of applying a response to its parent, before any evaluation. `_id` is the program's; that of a form that
 * was mended after it was run is answeredId.
 */
export type DeltaDocument = {
  readonly _id: ProgramId;
  readonly run: RunId;
  readonly step: number;
  readonly slot: number;
  /** Null for the initial program and for injected ones. */
  readonly parent: ProgramId | null;
  /** The island of an injected program. */
  readonly island?: number;
  /** It is scored again, under a new version of the task. */
  readonly rescored?: Rescored;
  /** The outcome of the early checks; null when the program is to be evaluated. */
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
  /** Blocks that fitted several places and were applied to the first; left out where there are none. */
  readonly ambiguous?: readonly { readonly block: number; readonly reason: string }[];
  /** The program that this one duplicates, when the outcome is duplicate. */
  readonly duplicateOf: ProgramId | null;
  /** The epoch of an initial program that is tried again, whose evaluation is another one; left out for the first. */
  readonly attempt?: number;
  /** In a form whose parent was mended after it was run: the delta of the parent's form that counts. */
  readonly parentForm?: string;
  /** The number of the further answer that made this form, counted from 1; left out for the first answer. */
  readonly again?: number;
  /** The same for the first answer of which something was taken, which says what the change is. */
  readonly told?: number;
  /** The change as the model describes it, made complete; where prompts ask for it. */
  readonly change?: CompleteDelta;
  /** The effect of the edits on the parent's lines (evolution/edits/reintroduced.ts), if something is evaluated. */
  readonly lines?: DeltaLines;
};

/** `deleted` are hashes. `returned` are the first of the lines that came back after an ancestor had deleted them. */
export type DeltaLines = EditedLines & { readonly deleted: readonly string[]; readonly returned: readonly string[] };

/**
 * A program's vector, and how near it was to the population when the step began; for programs that passed the early
 * checks, in runs that have an embedding model. `_id` is the delta's.
 */
export type EmbeddingDocument = Sent & {
  readonly _id: ProgramId;
  readonly run: RunId;
  readonly step: number;
  readonly model: string;
  /** Little-endian Float32 of unit length; zeros as the endpoint gave them, and empty where it accepts no text. */
  readonly vector: Uint8Array;
  /** The text was too long: the vector is that of its beginning, and the program is never a near-duplicate. */
  readonly cut?: true;
  /**
   * The most similar program that was alive, by cosine in [-1, 1]. Null without a comparison: no `embedding.threshold`,
   * no parent, or a cut text.
   */
  readonly nearest: { readonly program: ProgramId; readonly similarity: number } | null;
  /** Its similarity is above `embedding.threshold`, so it is not evaluated. */
  readonly duplicate: boolean;
  /** The feature `embedding`: mean of 1 - cosine over the population's reference programs, in [0, 2]; 0 without any. */
  readonly distance: number;
  /** Its share of what the request cost. */
  readonly tokens: number;
  readonly costUsd: number;
};

/** `text` refers to the artifact's; `size` is its length in characters. */
export type StoredArtifact = Omit<Artifact, 'text'> & { readonly text: BlobRef; readonly size: number };

export type EvaluationDocument = Omit<Evaluation, 'solution' | 'artifacts'> & {
  /** `run:code:evaluator:seed`. */
  readonly _id: string;
  readonly run: RunId;
  readonly code: BlobRef;
  readonly solution: BlobRef | null;
  readonly artifacts?: readonly StoredArtifact[];
};

/** One for each candidate, whatever its outcome; written at the commit, in slot order. */
export type ProgramDocument = OfStep & {
  readonly _id: ProgramId;
  readonly slot: number;
  /** In a stream (evolution/schedule/stream.ts): the step in whose name the ids of prompt, response and program are. */
  readonly named?: number;
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
  /** The program was mended after it was run: the number of the further answer that made the form that counts. */
  readonly mended?: number;
  readonly sameAs?: ProgramId;
  /** One of its island's seed programs, made from the initial program. */
  readonly founder?: true;
  /** As in DeltaDocument. */
  readonly rescored?: Rescored;
  /** The change as the model describes it, and how the program did against its parent. */
  readonly change?: CompleteDelta & { readonly label: ChangeLabel; readonly repair?: Repair };
  /** The idea that it carries out. */
  readonly idea?: JudgedIdea;
  /** The evolved prompt that asked for it. */
  readonly prompt?: AskedWith;
  /** The notes of the run that its group wrote before it was asked for. */
  readonly notes?: BlobRef;
  /** Measured features, as in Member. */
  readonly values?: readonly (number | null)[];
  readonly lines?: EditedLines;
  /** Blocks of the answer that do not apply, fit several places or were moved, though a program came of it. */
  readonly edits?: readonly { readonly block: number; readonly reason: string }[];
};
