// The settings of a run, complete and plain: what the schema (schema.ts) yields, what is stored with the run.
import type { Role } from '../types.ts';
import type { MethodName } from './names.ts';

export type Limits = {
  readonly steps: number | null;
  /** Candidates made (batch * responses per step). The last step makes just as many as are left. */
  readonly programs: number | null;
  readonly tokens: number | null;
  readonly costUsd: number | null;
  readonly wallSeconds: number | null;
  /** Raw objective at which the run ends, in the task's direction. */
  readonly targetScore: number | null;
  /**
   * Programs made since the best score last improved. Not an end that is sure to come: a run needs another limit
   * beside it.
   */
  readonly noImprovementPrograms: number | null;
};

/** `metric:<name>`: a metric that the task's evaluator reports. */
export type FeatureName =
  | 'score'
  | 'length'
  | 'tree-size'
  | 'diversity'
  | 'cpu'
  | 'wall'
  | 'embedding'
  | `metric:${string}`;
export type FeatureSettings = {
  readonly name: FeatureName;
  /** Left out: `population.bins`. */
  readonly bins?: number | undefined;
  /** Left out: linear. */
  readonly scale?: 'linear' | 'log' | 'quantile' | undefined;
  /** Fixed bounds, both or neither; left out: the running minimum and maximum. */
  readonly min?: number | undefined;
  readonly max?: number | undefined;
};

export type PopulationSettings = {
  readonly cap: number;
  /** Members of an island at most; null: no more than the cap of the run. */
  readonly islandCap: number | null;
  readonly archive: number;
  readonly islands: number;
  /** Kind of the archive of cells: one per island or one for all (`grid`). */
  readonly map: 'grid' | 'cvt' | 'queue' | 'none';
  /** Axes of the archive of cells. */
  readonly features: readonly (FeatureName | FeatureSettings)[];
  readonly bins: number;
  /** Centroids of `cvt`, places of `queue`. */
  readonly cells: number;
  readonly grid: 'island' | 'global';
  /** Whose running minimum and maximum a feature without fixed bounds is scaled by. */
  readonly bounds: 'run' | 'island';
  readonly childIsland: 'parent' | 'current';
  readonly samplingIsland: 'round-robin' | 'current';
  /** Groups that an island's turn lasts, where they take turns. */
  readonly turn: number;
  /** `evaluated`: those that were run. */
  readonly admitFailures: boolean | 'evaluated';
  readonly eviction: 'worst' | 'sparing';
  readonly protectOwners: boolean;
  readonly keepInitial: boolean;
  /**
   * Programs that an island is founded with, failures that were run among them: before, its children are made of the
   * initial program and are roots.
   */
  readonly founding: number;
  /** Children of one parent that enter in one step, the best ones; null: all. */
  readonly siblings: number | null;
  /** How far islands run without waiting for each other: to the next migration, or one epoch. */
  readonly islandSync: 'migration' | 'epoch';
};

export type SelectionSettings = {
  readonly kind:
    | 'initial'
    | 'mixture'
    | 'uniform'
    | 'rank'
    | 'power'
    | 'tournament'
    | 'roulette'
    | 'best'
    | 'sigmoid'
    | 'puct';
  /** Of every kind but the mixture. */
  readonly pool: 'island' | 'cells' | 'archive' | 'population';
  /** Shares of the mixture, and what its third share draws from. */
  readonly exploration: number;
  readonly exploitation: number;
  readonly rest: 'population' | 'weighted';
  /** Exponent of `power`. */
  readonly alpha: number;
  /** k of `tournament`. */
  readonly tournament: number;
  /** Lambda of `sigmoid`. */
  readonly lambda: number;
  /** c of `puct`. */
  readonly c: number;
};
export type MigrationSettings = {
  readonly topology: 'ring' | 'directed-ring' | 'complete' | 'star-in' | 'star-out' | 'star' | 'none';
  readonly style: 'top' | 'natives' | 'once';
  readonly unit: 'children' | 'steps';
  readonly interval: number;
  readonly rate: number;
};
export type PromptSettings = {
  /** Prior programs shown beside the parent; 0 = iterative refinement. */
  readonly priorPrograms: number;
  readonly eliteRatio: number;
  /** Further programs beside the parent, each kind of so many. */
  readonly elites: number;
  readonly diverse: number;
  readonly diverseBy: 'far-cells' | 'random-cell';
  readonly inspirations: number;
  readonly inspirationsBy: 'rank' | 'uniform';
  /** Null: all of them, to the root. */
  readonly ancestors: number | null;
  readonly bestEver: boolean;
  /** Of elites and diverse nodes. */
  readonly scope: 'island' | 'run';
  /** What the prompt is made of: one file each in activities/prompts/. */
  readonly style: 'theta' | 'openevolve' | 'delta' | 'conversation' | 'proposal' | 'task-only';
  /** `masked` (Blind-Elite): no score stands in the prompt. */
  readonly scores: 'shown' | 'masked';
  /** `random` (Random-Context): programs beside the parent are drawn uniformly from everything made so far. */
  readonly draw: 'rule' | 'random';
  /** What is said of how a program did: scores and errors, the word alone, nothing. */
  readonly feedback: 'full' | 'label-only' | 'none';
  /** Whether the parent's latest failed child is shown. */
  readonly failure: boolean;
  /** Longest prompt, tokens (estimated); what is dropped then is named in docs/prompts.md. Null: no limit. */
  readonly maxTokens: number | null;
  /** Whether the prompt names lines that came back after an ancestor had deleted them. */
  readonly reintroduced: boolean;
  /** A person's words to the model, in the prompts of one island or (null) of all, until they are removed. */
  readonly hints: readonly { readonly island: number | null; readonly text: string }[];
};
/** Embeddings of programs by an OpenAI-compatible endpoint; model null: none. */
export type EmbeddingSettings = {
  readonly model: string | null;
  /** Null: as `model.baseUrl`. */
  readonly baseUrl: string | null;
  /** Null: the model's own. */
  readonly dimensions: number | null;
  /** Cosine similarity from which a child counts as a near-duplicate; null: never. */
  readonly threshold: number | null;
  /** Whom a child must differ from: those alive on its island, or all alive. */
  readonly scope: 'island' | 'population';
  readonly timeoutSeconds: number;
  /** USD per million tokens; null: unknown, counted as 0. */
  readonly price: number | null;
};
/** Deltas of programs in the prompts of style `delta`. */
export type DeltaSettings = {
  /** w: attempts that count as recent and are shown with their plan. */
  readonly window: number;
  readonly disclosure: 'window' | 'l2-selected';
  readonly missing: 'fallback' | 'skip' | 'repair';
  readonly eliteExcludesParent: boolean;
};
/** An idea before each program, and who judges it. */
export type IdeationSettings = {
  readonly kind: 'none' | 'proposal';
  readonly gate: 'on' | 'off' | 'shadow';
  readonly threshold: number;
  /** Temperature at which the judge is asked. */
  readonly judgeTemperature: number;
  /** Significant digits of metrics. */
  readonly digits: number;
  /** Whether the run ends once a program is strictly better than the best by human hands, as the task names it. */
  readonly stopAtHuman: boolean;
};
/** How often a group explores, and whether a model edits the prompt then. `none`: no operators. */
export type ExplorationSchedule = {
  /** `plateau`: up when stuck, down on progress. `exponential` and `cosine`: by the epoch alone. `constant`: stays. */
  readonly schedule: 'none' | 'constant' | 'plateau' | 'exponential' | 'cosine';
  /** Rate of the first epoch, 0 .. 1; `cosine` begins at `max`. */
  readonly start: number;
  /** The rate never leaves these bounds; `constant` has none. */
  readonly min: number;
  readonly max: number;
  /** `plateau`: epochs without a new best before a raise, and the factors. */
  readonly patience: number;
  readonly raise: number;
  readonly lower: number;
  /** `exponential`: factor per epoch. */
  readonly factor: number;
  /** `cosine`: epochs from one maximum to the next. */
  readonly period: number;
  readonly metaPrompt: boolean;
  /** Whether it does so while an island is being founded, too. */
  readonly initMetaPrompt: boolean;
  /** From whom a group that explores draws: as `selection.pool` says, or everybody on the island. */
  readonly pool: 'elites' | 'all';
  readonly exploitPrompt: 'own' | 'policy';
};
export type DiffSettings = {
  /** What an answer may be: SEARCH/REPLACE blocks, a whole program in a fence, or either. */
  readonly accept: 'edits' | 'program' | 'either';
  readonly strict: boolean;
  readonly enforceBlock: boolean;
  readonly maxCodeChars: number;
  readonly parse: 'answer' | 'whole';
  readonly lazyScope: 'history' | 'parent';
  readonly match: 'lines' | 'substring';
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
  /**
   * USD per million tokens; `cached` left out: as `in`. Null: that of the table in prices.ts, else unknown: cost is
   * reported as 0 and said so.
   */
  readonly price: { readonly in: number; readonly out: number; readonly cached?: number } | null;
  /** Share of the requests that it gets, relative to the other models of its role. */
  readonly weight: number;
  /** What it is asked for. A judge is named: a model that was not trained as one is no reward model. */
  readonly roles: readonly Role[];
  /** Null: not sent. */
  readonly reasoningEffort: 'none' | 'minimal' | 'low' | 'medium' | 'high' | null;
  /** Whether answers are streamed: for endpoints and proxies that cut long silent calls. */
  readonly stream: boolean;
};
export type EvaluationSettings = {
  readonly seed: number;
  /** Which score ranks programs. */
  readonly scoring: 'tolerant' | 'strict';
  /** Whether the last checkpoint() counts after a timeout. */
  readonly acceptSavedOnTimeout: boolean;
  /** CPU limit of a candidate where it is to be less than the task's; null: the task's. */
  readonly cpuSeconds: number | null;
  /** `fast` forks candidates in warm containers; `noop` (noop.ts) is for benches only. */
  readonly sandbox: 'auto' | 'docker' | 'fast' | 'bubblewrap' | 'noop';
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
  readonly delta: DeltaSettings;
  readonly ideation: IdeationSettings;
  readonly exploration: ExplorationSchedule;
  readonly diff: DiffSettings;
  readonly reward: RewardSettings;
  readonly model: ModelSettings;
  /** Further models beside `model`; each request goes to one of all, drawn by weight. Names are distinct. */
  readonly models: readonly ModelSettings[];
  /**
   * How a request gets its model: in proportion to the weights, or by what the models' answers were worth
   * (AsymmetricUCB).
   */
  readonly modelChoice: 'weighted' | 'bandit';
  readonly embedding: EmbeddingSettings;
  readonly evaluation: EvaluationSettings;
};

// The shape of a method's file: what it sets when the user does not.
/** Everything but the task; seed and model are what a run takes when nothing else is said. */
export type MethodDefaults = Omit<RunConfig, 'task'>;
