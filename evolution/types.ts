// These are the nouns of the domain. Read this file first, because every other room speaks in these words.

/** A run's name, chosen by the user or made from method, task and a short random suffix. */
export type RunId = string;
/** `run:step:epoch:slot`, zero-padded. The initial program is slot 0 of step 0. */
export type ProgramId = string;
/** The lower-case hexadecimal SHA-256 of a text's UTF-8 bytes, which is the `_id` of its blob. */
export type BlobRef = string;

/**
 * The outcomes of a response in the order of their decision: ideas and gate, early checks (ThetaEvolve 3.3), sandbox.
 * `FAILURE_CODE` in scoring/failures.ts gives each failure its number.
 */
export const OUTCOMES = [
  'rejected', // the idea's score is below the gate's threshold; no program was asked for
  'unparsed', // the judge gave no score that can be read
  'idea_failed', // no idea was given
  'rm_failed', // the judge could not be asked
  'no_diff', // no SEARCH/REPLACE block in the answer
  'no_change', // equivalent to its parent
  'duplicate', // equivalent to a program evaluated earlier in the run
  'no_solution', // too long, does not compile, crash, timeout, no or malformed solution
  'invalid', // the solution fails the validity check, or the objective is not finite
  'valid',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The tasks of a model: programs (two roles), prompts, ideas, judgements, and deltas that an answer left out. */
export type Role = 'exploit' | 'explore' | 'meta' | 'idea' | 'judge' | 'repair' | 'evaluator';

export type Message = { readonly role: 'system' | 'user' | 'assistant'; readonly content: string };

/** The end of an execution in the sandbox. */
export type ExecutionKind =
  | 'ok'
  | 'program_error'
  | 'timeout_cpu'
  | 'timeout_wall'
  | 'memory'
  | 'output_limit'
  | 'invalid_output'
  | 'rejected'
  | 'infrastructure';

/** The OCI runtime of the containers; `engine` is the engine's default. */
export type OciRuntime = 'engine' | 'runc' | 'runsc' | 'kata';

/** The isolation of an execution, stored with its evaluation: the name of a level, `+` and the runtime asked for. */
export type IsolationLevel = string;

export type Direction = 'maximise' | 'minimise';

/** A JSON value, as it crosses process borders. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** The tokens of one or more model calls. */
export type Usage = {
  readonly in: number;
  readonly out: number;
  /** Those of `in` that were read from the endpoint's cache; left out where the endpoint names none. */
  readonly cached?: number;
  /** Those of `out` that were reasoning; left out where the endpoint names none. */
  readonly reasoning?: number;
};

/** One program alive in the population, as selection and insertion see it. */
export type Member = {
  readonly id: ProgramId;
  /** Fitness: the ranking score, always maximised (negated when the task minimises), and finite. */
  readonly fit: number;
  /** step * 1e6 + slot, a total order of birth. */
  readonly bornSeq: number;
  /** The length of the code in characters. */
  readonly length: number;
  /** The island that the child entered, its parent's. On other islands it is a migrant, without ancestors there. */
  readonly home: number;
  /**
   * The values of `population.features`, in their order; null where not measured, and for `score` and `length`. Left
   * out where these two are the only features.
   */
  readonly values?: readonly (number | null)[];
};

/** The pseudo-island whose members are those of the elite archive. */
export const ARCHIVE = -1;
/** The pseudo-island of programs that have migrated, where they may do so only once (`migration.style: once`). */
export const MIGRATED = -2;

/** A row of an island, of the archive (`ARCHIVE`), or of the programs that have migrated (`MIGRATED`). */
export type Membership = Member & { readonly island: number };

/** The record of a program as a parent, kept where `selection.kind` is sigmoid (of parents) or puct (of all). */
export type Tally = {
  readonly id: ProgramId;
  readonly parent: ProgramId | null;
  /** Children made from it, failures included. */
  readonly children: number;
  /** The number of groups that expanded it or a descendant of it. */
  readonly visits: number;
  /** The highest fit of its valid children. */
  readonly best: number | null;
};

/** A prompt of an island, where prompts evolve. */
export type IslandPrompt = {
  readonly island: number;
  /** `initial`, or the id of the group that edited it. */
  readonly id: string;
  readonly text: BlobRef;
  /** The prompt that it was edited from; null for the initial one. */
  readonly parent: string | null;
  /** The highest fit of the valid programs that it made; null until there is one. */
  readonly bestFit: number | null;
  /** It left for a better one (`population.islandCap`). */
  readonly left?: true;
};

/** The prompt that asked for a child. `isNew`: it was edited for the group, and joins the island's prompts. */
export type AskedWith = {
  readonly id: string;
  readonly text: BlobRef;
  readonly parent: string | null;
  readonly isNew: boolean;
};

/** A cell of an island's archive, with its elite. With `grid: global` the island is 0. */
export type Cell = {
  readonly island: number;
  readonly cell: string;
  readonly program: ProgramId;
  readonly fit: number;
};

export type Bounds = { readonly [feature: string]: readonly [min: number, max: number] };

/** The small state that travels with the commit point of a run, in one guarded document. */
export type PopulationState = {
  /** The running minimum and maximum of each feature over all valid programs ever inserted; null before the first. */
  readonly bounds: Bounds | null;
  /**
   * The bounds of each island over all programs that entered it, in the place of `bounds` (`population.bounds:
   * island`).
   */
  readonly islandBounds?: readonly (Bounds | null)[];
  /** The number of children inserted per island since the start, failures included. */
  readonly generations: readonly number[];
  /** The value of max(generations) at the last migration. */
  readonly lastMigration: number;
  /** The number of distinct programs alive. */
  readonly size: number;
  readonly best: { readonly id: ProgramId; readonly fit: number } | null;
  /**
   * The first valid programs, at most 20, to which `diversity` and `embedding` are measured, where these are features.
   */
  readonly references?: readonly ProgramId[];
  /** The inner edges of the bins of each quantile feature, ascending. */
  readonly edges?: { readonly [feature: string]: readonly number[] };
  /** The number of valid programs that came without a finite value, by feature; they have no cell. */
  readonly noCell?: { readonly [feature: string]: number };
  /** The number of seed programs of each island so far. Present only where `population.initialisation` is above 1. */
  readonly founded?: readonly number[];
  /** T of PUCT: the number of groups drawn so far. */
  readonly picks?: number;
  /** The exploration of each island, where `exploration.schedule` is on. */
  readonly exploration?: readonly ExplorationState[];
};

/** A child as the commit sees it. */
export type Child = {
  readonly id: ProgramId;
  readonly slot: number;
  readonly bornSeq: number;
  /** Null for the initial program (step 0, slot 0), and for one that a person injected. */
  readonly parent: ProgramId | null;
  /** One of its island's seed programs: made of the initial program, but a root. */
  readonly founder?: true;
  readonly island: number;
  readonly outcome: Outcome;
  /** Present exactly when the outcome is valid. */
  readonly fit?: number;
  /** Present for a failure that was run. */
  readonly evaluated?: true;
  readonly length: number;
  /** The measured features, as in Member. */
  readonly values?: readonly (number | null)[];
  /** The earlier slot of the step with equivalent code: that one is the program, this one stays a rollout. */
  readonly sameAs?: ProgramId;
  /** Present where prompts evolve. */
  readonly prompt?: AskedWith;
  /** Present exactly for the candidates of a step that scores programs again. */
  readonly rescored?: Rescored;
};

/** A candidate that is scored again under a new version of the task. */
export type Rescored = {
  /** The program as it was scored before; null for an initial program that is new. */
  readonly of: ProgramId | null;
  /** The islands that it enters. */
  readonly islands: readonly number[];
};

/** Absolute writes that take the population from step n-1 to n: computed once, stored, then applied. */
export type ChangeSet = {
  readonly step: number;
  readonly add: readonly Membership[];
  readonly remove: readonly { readonly island: number; readonly id: ProgramId }[];
  /** `program: null` empties the cell. */
  readonly cells: readonly {
    readonly island: number;
    readonly cell: string;
    readonly program: ProgramId | null;
    readonly fit: number;
  }[];
  readonly evicted: readonly ProgramId[];
  readonly migrated: readonly { readonly id: ProgramId; readonly from: number; readonly to: number }[];
  /** The tallies as they are after the step. */
  readonly tallies?: readonly Tally[];
  /** The prompts as they are after the step. */
  readonly prompts?: readonly IslandPrompt[];
  readonly state: PopulationState;
};

/** The rate at which an island explores, and its place in the schedule. */
export type ExplorationState = {
  /** The number of epochs since the initial phase ended; `rate` is that of this epoch. */
  readonly epoch: number;
  readonly rate: number;
  /** The number of epochs since the best improved or the rate was raised. */
  readonly stagnant: number;
};
