// The documents of every collection, as stored. Keys hold no `.` or `$`; every document but a blob carries `run`.
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { Evaluation } from '../../evolution/evaluation.ts';
import type { BlobRef, ChangeSet, Outcome, PopulationState, ProgramId, RunId, Usage } from '../../evolution/types.ts';

export type RunStatus = 'running' | 'paused' | 'needs attention' | 'stopped' | 'finished';

/** Sums over committed steps, set absolutely by each commit. The initial program counts in none of them. */
export type RunTotals = {
  readonly programs: number;
  readonly valid: number;
  readonly failures: { readonly [outcome in Exclude<Outcome, 'valid'>]?: number };
  readonly tokens: Usage;
  readonly costUsd: number;
};

export type BestProgram = { readonly program: ProgramId; readonly score: number; readonly strictScore: number | null; readonly step: number };

export type RunDocument = {
  readonly _id: RunId;
  readonly run: RunId;
  readonly config: RunConfig;
  /** Rises with every change of settings; configs[version] are kept in `events`. */
  readonly configVersion: number;
  readonly taskDigest: string;
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
};

export type PromptDocument = {
  readonly _id: string; readonly run: RunId; readonly step: number; readonly epoch: number; readonly group: number;
  readonly system: BlobRef; readonly user: BlobRef;
  readonly parent: ProgramId; readonly island: number; readonly priorPrograms: readonly ProgramId[];
  /** Which weighted meta-information part was drawn. */
  readonly part: string;
};

export type RolloutDocument = {
  readonly _id: ProgramId; readonly run: RunId; readonly step: number; readonly epoch: number; readonly group: number; readonly slot: number;
  readonly response: BlobRef; readonly reasoning: BlobRef | null;
  readonly model: string; readonly finishReason: string | null; readonly usage: Usage; readonly costUsd: number;
};

/** What applying a response to its parent gave, before any evaluation. */
export type DeltaDocument = {
  readonly _id: ProgramId; readonly run: RunId; readonly step: number; readonly slot: number;
  readonly parent: ProgramId;
  /** Decided early, or null: to be evaluated. */
  readonly outcome: Extract<Outcome, 'no_diff' | 'no_change' | 'duplicate' | 'no_solution'> | null;
  readonly reason: string | null;
  readonly code: BlobRef | null; readonly normHash: string | null; readonly length: number;
  readonly blocks: number;
  readonly unmatched: readonly { readonly block: number; readonly reason: string }[];
  /** The program this one duplicates, when the outcome is duplicate. */
  readonly duplicateOf: ProgramId | null;
};

export type EvaluationDocument = Omit<Evaluation, 'solution'> & {
  /** `run:code:evaluator:seed`. */
  readonly _id: string; readonly run: RunId; readonly code: BlobRef;
  readonly solution: BlobRef | null;
};

/** One per candidate made, whatever became of it; written at commit, in slot order. */
export type ProgramDocument = {
  readonly _id: ProgramId; readonly run: RunId; readonly step: number; readonly epoch: number; readonly slot: number; readonly generation: number;
  readonly bornSeq: number; readonly parents: readonly ProgramId[]; readonly island: number;
  readonly outcome: Outcome; readonly reasons: readonly string[];
  readonly score: number | null; readonly strictScore: number | null; readonly fit?: number; readonly reward: number;
  readonly code: BlobRef | null; readonly normHash: string | null; readonly length: number;
  readonly evaluation: string | null;
  readonly sameAs?: ProgramId;
};

export type StepDocument = {
  /** `run:step:generation`. */
  readonly _id: string; readonly run: RunId; readonly step: number; readonly generation: number; readonly epoch: number;
  readonly state: 'prepared' | 'committed' | 'superseded';
  /** The ChangeSet, as zstd-compressed JSON in a blob: it may be large. */
  readonly changeSet: BlobRef;
  readonly totals: RunTotals; readonly best: BestProgram | null; readonly population: PopulationState;
};

export type { ChangeSet };
