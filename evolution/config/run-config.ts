// The settings of a run, complete and plain: what the schema (schema.ts) yields, what is stored with the run.
import type { MethodName } from '../methods/names.ts';

export type Limits = {
  readonly steps: number | null;
  /** Candidates made (batch * responses per step). The last step may not exceed it: a step that would is not started. */
  readonly programs: number | null;
  readonly tokens: number | null;
  readonly costUsd: number | null;
  readonly wallSeconds: number | null;
  /** Raw objective at which the run ends, in the task's direction. */
  readonly targetScore: number | null;
  /** Programs made since the best score last improved. Not an end that is sure to come: a run needs another limit beside it. */
  readonly noImprovementPrograms: number | null;
};

export type PopulationSettings = {
  readonly cap: number;
  readonly archive: number;
  readonly islands: number;
  /** Axes of the MAP-Elites grid. */
  readonly features: readonly ('score' | 'length')[];
  readonly bins: number;
  readonly grid: 'island' | 'global';
  readonly childIsland: 'parent' | 'current';
  readonly samplingIsland: 'round-robin' | 'current';
  readonly admitFailures: boolean;
  readonly protectOwners: boolean;
};

export type SelectionSettings = {
  readonly kind: 'mixture' | 'uniform' | 'rank' | 'power' | 'tournament' | 'roulette' | 'best';
  /** Of every kind but the mixture. */
  readonly pool: 'island' | 'archive' | 'population';
  /** Shares of the mixture. */
  readonly exploration: number;
  readonly exploitation: number;
  /** Exponent of `power`. */
  readonly alpha: number;
  /** k of `tournament`. */
  readonly tournament: number;
};
/** Settings stored by versions that had the mixture only lack the other keys. */
export type StoredSelection = Partial<SelectionSettings> & Pick<SelectionSettings, 'exploration' | 'exploitation'>;
export type MigrationSettings = {
  readonly topology: 'ring' | 'directed-ring' | 'complete' | 'star-in' | 'star-out' | 'star' | 'none';
  readonly interval: number;
  readonly rate: number;
};
/** Settings stored by versions that had the ring only lack the topology. */
export type StoredMigration = Partial<MigrationSettings> & Pick<MigrationSettings, 'interval' | 'rate'>;
export type PromptSettings = {
  /** Prior programs shown beside the parent; 0 = iterative refinement. */
  readonly priorPrograms: number;
  readonly eliteRatio: number;
  /** A person's words to the model, in the prompts of one island or (null) of all, until they are removed. */
  readonly hints: readonly { readonly island: number | null; readonly text: string }[];
};
export type DiffSettings = {
  readonly strict: boolean;
  readonly enforceBlock: boolean;
  readonly maxCodeChars: number;
  readonly parse: 'answer' | 'whole';
  readonly lazyScope: 'history' | 'parent';
};
export type RewardSettings = {
  readonly kind: 'objective' | 'shaped' | 'format' | 'valid' | 'improve';
  readonly lower: number | null;
  readonly upper: number | null;
  readonly alpha: number;
  readonly k: number;
};
export type ModelSettings = {
  /** `offline` is the genetic-programming mutator that ships with the project: no language model. */
  readonly kind: 'openai' | 'offline';
  /** Null for the offline model, whose port the home decides. */
  readonly baseUrl: string | null;
  readonly name: string;
  readonly temperature: number;
  readonly topP: number;
  readonly maxTokens: number;
  readonly timeoutSeconds: number;
  /** One request for n responses (`auto`: try, then fall back to single requests). */
  readonly nativeN: 'auto' | boolean;
  /** USD per million tokens. Null: unknown, cost is reported as 0 and said so. */
  readonly price: { readonly in: number; readonly out: number } | null;
  /** Share of the requests that it gets, relative to the other models of the run. */
  readonly weight: number;
};
export type EvaluationSettings = {
  readonly seed: number;
  /** Which score ranks programs. */
  readonly scoring: 'tolerant' | 'strict';
  /** Whether the last checkpoint() counts after a timeout. */
  readonly acceptSavedOnTimeout: boolean;
  /** CPU limit of a candidate where it is to be less than the task's; null: the task's. */
  readonly cpuSeconds: number | null;
  /** `noop` answers 'valid' without running anything: for measuring the engine (npm run bench). */
  readonly sandbox: 'auto' | 'docker' | 'bubblewrap' | 'noop';
};

export type RunConfig = {
  readonly method: MethodName;
  readonly task: string;
  readonly seed: number;
  /** B: parents per step. */
  readonly batch: number;
  /** n: responses per parent. */
  readonly responses: number;
  readonly limits: Limits;
  readonly population: PopulationSettings;
  readonly selection: SelectionSettings;
  readonly migration: MigrationSettings;
  readonly prompt: PromptSettings;
  readonly diff: DiffSettings;
  readonly reward: RewardSettings;
  readonly model: ModelSettings;
  /** Further models beside `model`; each request goes to one of all, drawn by weight. Names are distinct. */
  readonly models: readonly ModelSettings[];
  readonly evaluation: EvaluationSettings;
};
