// The task contract says what a folder in tasks/ amounts to once it is read and checked.
import type { Needs } from '../hosts/needs.ts';
import type { TaskWorld } from './task-world.ts';
import type { Direction, Json } from '../types.ts';

/** The papers that a task can be of, by their methods. */
export const PAPERS = ['theta', 'delta', 'research', 'code'] as const;
export type Paper = (typeof PAPERS)[number];

export type TaskLimits = {
  /** CPU seconds of the candidate's container. */
  readonly cpuSeconds: number;
  /** CPU seconds that the program is told to plan for; left out: 6/7 of `cpuSeconds`. */
  readonly toldSeconds?: number;
  /** A backstop on the wall clock, in seconds of a machine that is not shared; the sandbox allows more when it is. */
  readonly wallSeconds: number;
  readonly memoryBytes: number;
  readonly outputBytes: number;
  readonly pids: number;
  /** CPU seconds of the compiler of a program in another language; left out: 60. */
  readonly compileSeconds?: number;
  /** Cores that the program may use at a time; its libraries start as many threads. */
  readonly cores: number;
};

export type TaskReference = {
  readonly name: string;
  readonly value: number;
  readonly source: string;
  /** The address of a solution of this value that this task's evaluator has scored. */
  readonly fetch?: string;
  readonly strict: boolean;
  readonly tolerance?: number;
  readonly paper?: Paper;
  readonly best?: boolean;
  readonly human?: boolean;
};

/** The score of the initial program: exact, or inside a band. */
export type InitialScore = {
  readonly score?: number;
  readonly band?: readonly [low: number, high: number];
  readonly seconds?: number;
  readonly quick?: { readonly cpuSeconds: number; readonly band: readonly [low: number, high: number] };
};

/** A person's own evaluator, which runs in the program's container. */
export type TaskScript = {
  readonly file: string;
  /** The path of the program's file. */
  readonly program: string;
  /** How the evaluator is called; left out, its source says it. */
  readonly shape?: string | undefined;
  readonly function?: string | undefined;
  /** The function of the program that an evaluator of the shape `function` gets. */
  readonly entry: string;
  /** The evaluator and what it reads, by path; a text that begins with NUL is base64 of a file that is no text. */
  readonly files: { readonly [path: string]: string };
  /** Files that are too large for that, which are links to the folder of data files. */
  readonly data?: readonly string[] | undefined;
  /** Of a repository: globs within which programs may add files. */
  readonly add?: readonly string[] | undefined;
  /** What is run in the folder in place of the evaluator (a stage). */
  readonly command?: string | undefined;
  /** The evaluator may ask a model, through the host alone. */
  readonly network?: 'model' | undefined;
};

/** A cheap look at a program before the whole evaluation. */
export type TaskStage = {
  readonly name: string;
  /** Keys that stand in the place of the task's. */
  readonly instance: { readonly [key: string]: Json };
  readonly hidden: { readonly [key: string]: Json };
  readonly limits: { readonly cpuSeconds?: number | undefined; readonly wallSeconds?: number | undefined };
  /** Of a `script` task: the evaluator's function, and which of its numbers is the score. */
  readonly function?: string | undefined;
  readonly score?: string | undefined;
  /** Of a `script` task: a command that has to end with 0, in place of the evaluator. */
  readonly command?: string | undefined;
  /** The score from which a program goes on; left out: any valid one. */
  readonly threshold?: number | undefined;
};

export type TaskVariant = {
  readonly name: string;
  readonly what: string;
  /** Every run has the same data, which programs could know; drawn data are others for each run. */
  readonly fixed: boolean;
  /** The row of a paper's table: its values are those of `metric` (the score, or a metric) times `scale`. */
  readonly table?: {
    readonly title: string;
    readonly metric: string;
    readonly scale: number;
    readonly values: { readonly [whose: string]: number };
  };
};

/** A part of advice. */
export type Part = { readonly name: string; readonly weight: number; readonly text: string };

export type PaperParts = {
  /** The section of the paper that prints its words. */
  readonly place: string;
  readonly parts: readonly Part[];
};

export type Task = {
  readonly id: string;
  readonly title: string;
  readonly version: number;
  /**
   * `solution`: the program hands back data. `function`: the evaluator calls the program's function through a pipe.
   * `script`: a person's own evaluator runs beside the program.
   */
  readonly kind: 'solution' | 'function' | 'script';
  readonly script?: TaskScript;
  readonly direction: Direction;
  /** The function that the candidate must define. */
  readonly entry: string;
  /** The name of the raw objective, e.g. `sum_radii`. */
  readonly scoreName: string;
  /** The name of the tolerant score, where requests call the strict one the score because it ranks. */
  readonly tolerantName?: string;
  /** Public parameters handed to the candidate; seed and time_limit_s are added at run time. */
  readonly instance: { readonly [key: string]: Json };
  /** Parameters added to the instance on the evaluator's side only. */
  readonly hidden?: { readonly [key: string]: Json };
  /**
   * `drawn`: the evaluator of a `function` task draws all its data from `hidden_key`. Else they are fixed or its own.
   */
  readonly data?: 'drawn';
  /** So many characters of the end of what a program prints stand in prompts; 0: none. Left out: 2000. */
  readonly printed?: number;
  /** Parameters that take the place of the instance's in quick checks of a `function` task. */
  readonly smoke?: { readonly [key: string]: Json };
  /** What comes before the whole evaluation; left out: nothing. */
  readonly stages?: readonly TaskStage[];
  readonly limits: TaskLimits;
  /** The needs of the host that evaluates its programs; left out: none. */
  readonly needs?: Needs;
  /** What it brings beside the evaluator image. */
  readonly world?: TaskWorld;
  /** Time is part of the score, so jobs run one per core, pinned. */
  readonly timed?: boolean;
  readonly papers?: readonly string[];
  /** Axes that make sense for an archive, in the form of `population.features`. */
  readonly features?: readonly (
    | string
    | { readonly name: string; readonly min?: number | undefined; readonly max?: number | undefined }
  )[];
  /** The meaning of each metric, one line each. */
  readonly metrics?: { readonly [name: string]: string };
  /** Metrics that prompts of one frame alone show (`prompt.frame`). */
  readonly frames?: { readonly [metric: string]: string };
  readonly shaping?: { readonly lower: number; readonly upper: number; readonly alpha: number; readonly k: number };
  readonly bound?: { readonly value: number; readonly source: string };
  readonly suspectGain?: number;
  readonly initial?: InitialScore;
  readonly references: readonly TaskReference[];
  /** The problem: aim, form, validity and score, for any parent and step. Null: each of the prompts is a statement. */
  readonly problem?: string | null;
  /** Parts of advice, one of them drawn for a prompt. Weights sum to 1; placeholders are resolved. */
  readonly prompts: readonly Part[];
  /** What the papers of the task told their models, by paper (`prompt.parts`). */
  readonly paperParts?: { readonly [paper in Paper]?: PaperParts };
  /** The paper whose parts `prompts` are, and to whose silence `problem` keeps; left out: the task's own. */
  readonly partsOf?: Paper;
  /** The task's own templates of prompts by style, as texts; the shipped ones hold where it has none. */
  readonly templates?: { readonly [style: string]: string };
  readonly initialProgram: string;
  /** The variant and the start that a run chose, with what task.yaml says of the start; left out where it chose none. */
  readonly chosen?:
    | { readonly instance: string | null; readonly initial: string | null; readonly what?: string }
    | undefined;
  /** The named initial programs that a run may choose. */
  readonly starts?: readonly (InitialScore & {
    readonly name: string;
    readonly what: string;
    /** Where a construction can be fetched that it takes. */
    readonly fetch?: string;
  })[];
  /** The variants of the instance that a run may choose. */
  readonly instances?: readonly TaskVariant[];
  /**
   * Python source with `evaluate(instance, solution)` or, in a `function` task, `evaluate(instance, candidate)`, which
   * returns {valid, score, metrics, reasons}. It runs in the trusted container only.
   */
  readonly evaluatorSource: string;
  /** Python modules that the evaluator imports, in the order in which they are made. */
  readonly library?: readonly { readonly name: string; readonly source: string }[];
  /** Python modules that are imported before a program is. */
  readonly preload?: readonly string[];
  /** For a `function` task: Python source with `invoke(function, request, ask)`, run in the program's container. */
  readonly harness?: string;
  /** SHA-256 over evaluator, library, harness, instance and version: part of every evaluation's key. */
  readonly evaluatorDigest: string;
  /** The picture of a solution for people: circles in a unit square, or none. */
  readonly picture: 'circles-in-unit-square' | null;
};

/** The id of a task that settings name by its id or by its folder's path: the folder's name in kebab-case. */
export const taskName = (named: string): string => {
  const name = named.split('/').findLast((part) => part !== '') ?? named;
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return /^[a-z]/.test(words[0] ?? '') ? words.join('-') : ['task', ...words].join('-');
};

/**
 * Unless a run says otherwise, a program is told 6/7 of the limit that is enforced, so that it can end by itself
 * (ThetaEvolve: 60 of 70 s), rounded down: with one decimal below 100 s.
 */
export const timeLimitTold = ({ cpuSeconds, toldSeconds }: Pick<TaskLimits, 'cpuSeconds' | 'toldSeconds'>): number => {
  const most = (cpuSeconds * 6) / 7;
  return toldSeconds ?? (most < 100 ? Math.floor((cpuSeconds * 60) / 7) / 10 : Math.floor(most));
};
