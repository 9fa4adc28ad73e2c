// The nouns of the domain. Read this file first: every other room speaks in these words.

/** A run's name, chosen by the user or made from method, task and a short random suffix. */
export type RunId = string;
/** `run:step:epoch:slot`, zero-padded (see ids.ts). The initial program is slot 0 of step 0. */
export type ProgramId = string;
/** Lower-case hexadecimal SHA-256 of a text's UTF-8 bytes: the `_id` of its blob. */
export type BlobRef = string;

/** What became of a response, in the order in which it is decided (ThetaEvolve early checks, then the sandbox). */
export type Outcome =
  | 'rejected' // -0.4: the idea's score is below the gate's threshold; no program was asked for
  | 'unparsed' // -0.4: the judge gave no score that can be read
  | 'idea_failed' // -0.4: no idea was given
  | 'rm_failed' // -0.4: the judge could not be asked
  | 'no_diff' // -0.4: no SEARCH/REPLACE block in the answer
  | 'no_change' // -0.3: equivalent to its parent
  | 'duplicate' // -0.3: equivalent to a program evaluated earlier in the run
  | 'no_solution' // -0.2: too long, does not compile, crash, timeout, no or malformed solution
  | 'invalid' // -0.1: the solution fails the validity check, or the objective is not finite
  | 'valid';

/** Calls of a group before its program is asked for, in the order in which they are made. */
export type Stage = 'idea' | 'judge' | 'meta';

/**
 * What a model is asked for: programs (exploiting or exploring), prompts, ideas, judgements, deltas that an answer
 * left out.
 */
export type Role = 'exploit' | 'explore' | 'meta' | 'idea' | 'judge' | 'repair';

export type Message = { readonly role: 'system' | 'user' | 'assistant'; readonly content: string };

/** How the sandbox saw an execution end. */
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

/** The isolation that an execution really had; stored with every evaluation. */
export type IsolationLevel = 'docker' | 'fast' | 'bubblewrap' | 'process' | 'fake';

export type Direction = 'maximise' | 'minimise';

/** A JSON value, as it crosses process borders. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Tokens of one or more model calls. */
export type Usage = {
  readonly in: number;
  readonly out: number;
  /** Of those in: read from the endpoint's cache. Left out where it names none. */
  readonly cached?: number;
  /** Of those out: reasoning. Left out where the endpoint names none. */
  readonly reasoning?: number;
};

/** One program alive in the population, as selection and insertion see it. */
export type Member = {
  readonly id: ProgramId;
  /** Fitness: the ranking score, always maximised (negated when the task minimises). Finite. */
  readonly fit: number;
  /** step * 1e6 + slot: total order of birth. */
  readonly bornSeq: number;
  /** Code length in characters. */
  readonly length: number;
  /**
   * Index of the island the child entered (its parent's). On every other island it is a migrant: a root, without
   * ancestors there.
   */
  readonly home: number;
  /**
   * Measured features, one for each of `population.features` in their order; null where not measured, and for `score`
   * and `length`, which are above. Left out where these two are the only features.
   */
  readonly values?: readonly (number | null)[];
};

/** The pseudo-island whose members are those of the elite archive. */
export const ARCHIVE = -1;
/** The pseudo-island of those that have migrated, where a program may do so once only (`migration.style: once`). */
export const MIGRATED = -2;

/**
 * A membership row: program in island, a member of the archive (`island === ARCHIVE`), or the note that it has migrated
 * (MIGRATED).
 */
export type Membership = Member & { readonly island: number };

/**
 * What became of a program as a parent, kept where `selection.kind` asks for it (sigmoid: of parents; puct: of all
 * that entered).
 */
export type Tally = {
  readonly id: ProgramId;
  readonly parent: ProgramId | null;
  /** Children made from it, failures included. */
  readonly children: number;
  /** Groups that expanded it or a descendant of it. */
  readonly visits: number;
  /** Highest fit of its valid children. */
  readonly best: number | null;
};

/** A prompt of an island, where prompts evolve (exploration/prompt-population.ts). */
export type IslandPrompt = {
  readonly island: number;
  /** `initial`, or the id of the group that edited it. */
  readonly id: string;
  readonly text: BlobRef;
  /** The prompt that it was edited from; null for the initial one. */
  readonly parent: string | null;
  /** Highest fit of the valid programs that it made; null until there is one. */
  readonly bestFit: number | null;
};

/** The prompt that asked for a child. `isNew`: it was edited for its group, and joins the prompts of the island. */
export type AskedWith = {
  readonly id: string;
  readonly text: BlobRef;
  readonly parent: string | null;
  readonly isNew: boolean;
};

/** One owned cell of an island's MAP-Elites grid. With `grid: global` the island is 0. */
export type Cell = {
  readonly island: number;
  readonly cell: string;
  readonly program: ProgramId;
  readonly fit: number;
};

export type Bounds = { readonly [feature: string]: readonly [min: number, max: number] };

/** Small state that travels with the commit point of a run (one document, guarded). */
export type PopulationState = {
  /** Running minimum and maximum of each feature over all valid programs ever inserted; null before the first. */
  readonly bounds: Bounds | null;
  /**
   * The same of each island, over those that ever entered it. In place of `bounds` with `population.bounds: island`.
   */
  readonly islandBounds?: readonly (Bounds | null)[];
  /** Children inserted per island since the start, failures included. */
  readonly generations: readonly number[];
  /** Value of max(generations) at the last migration. */
  readonly lastMigration: number;
  /** Distinct programs alive. */
  readonly size: number;
  readonly best: { readonly id: ProgramId; readonly fit: number } | null;
  /**
   * The first valid programs of the run, at most 20: what `diversity` and `embedding` are measured against. Where
   * asked for only.
   */
  readonly references?: readonly ProgramId[];
  /** Inner edges of the bins of each quantile feature, ascending. */
  readonly edges?: { readonly [feature: string]: readonly number[] };
  /** Valid programs that came without a finite value, by feature: they have no cell. */
  readonly noCell?: { readonly [feature: string]: number };
  /** Seed programs of each island so far. Where `population.initialisation` is above 1 only. */
  readonly founded?: readonly number[];
  /** T of PUCT: groups drawn so far. */
  readonly picks?: number;
  /** How likely each island explores. Where `exploration.schedule` is on only. */
  readonly exploration?: readonly ExplorationState[];
};

/** A child as commit sees it, in slot order. */
export type Child = {
  readonly id: ProgramId;
  readonly slot: number;
  readonly bornSeq: number;
  /** Null: the initial program (step 0 slot 0), or one that a person injected. */
  readonly parent: ProgramId | null;
  /** One of its island's seed programs: made of the initial program, but a root. */
  readonly founder?: true;
  readonly island: number;
  readonly outcome: Outcome;
  /** Present exactly when the outcome is valid. */
  readonly fit?: number;
  /** A failure that was run. */
  readonly evaluated?: true;
  readonly length: number;
  /** As in Member. */
  readonly values?: readonly (number | null)[];
  /**
   * Set when an earlier slot of the same step has equivalent code: that one is the program, this one stays a rollout.
   */
  readonly sameAs?: ProgramId;
  /** Where prompts evolve. */
  readonly prompt?: AskedWith;
};

/** Absolute writes that take the population from step n-1 to step n. Computed once, stored, then applied. */
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
  /** Tallies as they are afterwards. */
  readonly tallies?: readonly Tally[];
  /** Prompts as they are afterwards. */
  readonly prompts?: readonly IslandPrompt[];
  readonly state: PopulationState;
};

/** How likely an island explores (exploration/schedule.ts). */
export type ExplorationState = {
  /** Epochs since the initial phase ended: `rate` is that of this epoch. */
  readonly epoch: number;
  readonly rate: number;
  /** Epochs since the best improved or the rate was raised. */
  readonly stagnant: number;
};
