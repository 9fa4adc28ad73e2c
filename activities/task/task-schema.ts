// The keys of task.yaml. The schema is strict: unknown keys and wrong types are errors.
import { z } from 'zod';
import { feature } from '../../evolution/config/settings/population.ts';
import { PACKAGE_SET_NAMES } from '../../evolution/config/settings/package-sets.ts';
import { LABEL, LABEL_EXPECTED } from '../../evolution/hosts/needs.ts';
import { LANGUAGE_NAMES } from '../../evolution/task/languages.ts';
import { PAPERS } from '../../evolution/task/task.ts';

const json: z.ZodType = z.json();
const positive = z.number().positive();
const count = z.int().positive();
const instance = z.record(z.string(), json);
const band = z.tuple([z.number(), z.number()]).refine(([low, high]) => low <= high, 'expected [low, high]');
/** A variant or a start of a task, as the settings `instance` and `initial` name it. */
const variantName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,80}$/, 'expected a name such as 5k-c100');

/** The score of an initial program: exactly, or inside a band; `quick` is what checks run in place of long programs. */
const startScore = z.strictObject({
  score: z.number().optional(),
  band: band.optional(),
  seconds: positive.optional(),
  quick: z.strictObject({ cpuSeconds: positive, band }).optional(),
});
type StartScore = { readonly score?: number | undefined; readonly band?: readonly number[] | undefined };
const eitherScoreOrBand = ({ score, band: range }: StartScore): boolean =>
  (score === undefined) !== (range === undefined);
const EITHER = 'expected either score or band';

const reference = z.strictObject({
  name: z.string().min(1),
  value: z.number(),
  source: z.string().min(1),
  /** The address of a solution of this value that this task's evaluator has scored. */
  fetch: z.string().min(1).optional(),
  /** True where the value holds without any tolerance. */
  strict: z.boolean(),
  /** The tolerance that it needs, where it needs one. */
  tolerance: positive.optional(),
  /** The paper that reports the value. `evolve report` shows it beside runs of that paper's method. */
  paper: z.enum(PAPERS).optional(),
  /** The best value that this task's evaluator has given to a solution at hand; at most one. */
  best: z.boolean().optional(),
  /** The best value before such searches; at most one (AlphaResearch's excel@best is measured against it). */
  human: z.boolean().optional(),
});

const references = z
  .array(reference)
  .refine((all) => all.filter(({ best }) => best).length <= 1, 'expected at most one reference with best: true')
  .refine((all) => all.filter(({ human }) => human).length <= 1, 'expected at most one reference with human: true');

const limits = z.strictObject({
  cpuSeconds: positive,
  wallSeconds: positive,
  memoryMiB: count,
  outputMiB: positive.max(64),
  pids: count,
  /** So many cores a program may use at a time. */
  cores: count,
});
/** Of a task that names none, or some. The wall clock is a backstop. */
const taskLimits = limits
  .extend({
    cpuSeconds: positive.default(60),
    wallSeconds: positive.optional(),
    memoryMiB: count.default(1024),
    outputMiB: positive.max(64).default(4),
    pids: count.default(64),
    cores: count.default(1),
    /** Of the compiler of a program in another language. */
    compileSeconds: positive.max(3_600).optional(),
  })
  .transform(({ wallSeconds, ...rest }) => ({ ...rest, wallSeconds: wallSeconds ?? rest.cpuSeconds * 3 }))
  .prefault({});
const MEANING = 'expected one line of at most 200 characters, or one in common or in paper';
const meaning = z.string().regex(/^[^\r\n]{1,200}$/, MEANING);
const values = z.record(z.string(), z.union([z.number(), z.string()]));
const parts = z.array(z.strictObject({ name: z.string().min(1), weight: positive.max(1), file: z.string().min(1) }));
const bound = z.strictObject({ value: z.number(), source: z.string().min(1) });

const variable = z.union([z.string(), z.number(), z.boolean()]).transform(String).nullable();

const identifier = z.string().regex(/^[A-Za-z_]\w*$/, 'expected the name of a function');
const globs = z
  .array(z.string().regex(/^(?=.{1,200}$)(?:[^*?{[]*[*?{[]){0,6}[^*?{[]*$/, 'expected a path with at most 6 wildcards'))
  .min(1)
  .optional();
/** How an evaluator of kind `script` is called: with a path, a path and a folder, the function, the module, the text; or as a script. */
const SHAPES = ['path', 'path-folder', 'function', 'module', 'text', 'script'] as const;

export const taskSchema = z.strictObject({
  /** Equal to the folder's name. */
  id: z
    .string()
    .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'expected kebab-case')
    .optional(),
  /** The folder's name where it is left out. */
  title: z.string().min(1).optional(),
  papers: z.array(z.enum(PAPERS)).default([]),
  /** Raised whenever the evaluator or the instance changes meaning. */
  version: count.default(1),
  kind: z.enum(['solution', 'function', 'script']),
  /** Of a `script` task: the evaluator's file, how it is called, and which of its numbers is the score. */
  evaluate: z
    .strictObject({
      file: z.string().min(1).default('evaluator.py'),
      /** The initial program's file. */
      program: z.string().min(1).optional(),
      shape: z.enum(SHAPES).optional(),
      function: identifier.optional(),
      score: z.string().min(1).optional(),
    })
    .optional(),
  /** Of a `script` task: its evaluator may ask a model, and nothing else outside of its container. */
  evaluator: z.strictObject({ network: z.literal('model', { error: 'expected model' }) }).optional(),
  /** Of a `script` task: the files that the evaluator reads. Left out: all of the folder that nothing made. */
  files: globs,
  /**
   * Of a `script` task whose program is a part of a repository: the files that may change, those that may be added, and
   * those beside them that prompts show.
   */
  change: globs,
  add: globs,
  show: globs,
  /** The language of its programs. Their initial program has its extension: initial.cpp. */
  language: z.enum(LANGUAGE_NAMES).optional(),
  direction: z.enum(['maximise', 'minimise']),
  entry: identifier.optional(),
  scoreName: z
    .string()
    .regex(/^[a-z][a-z0-9_]*$/, 'expected a name in snake_case')
    .default('score'),
  instance: instance.default({}),
  /** Keys of the instance that only the evaluator sees. */
  hidden: instance.default({}),
  /**
   * `drawn`: the evaluator of a `function` task draws all its data from `hidden_key`, the same for all programs of a
   * run.
   */
  data: z.enum(['fixed', 'drawn']).default('fixed'),
  /** So many characters of the end of what programs print are shown to models. */
  printed: z.number().int().min(0).max(8_000).optional(),
  /** Keys of the instance that differ in quick checks of a `function` task. */
  smoke: instance.default({}),
  /** What comes before the whole evaluation, in this order: keys, limits or the evaluator's function that differ. */
  stages: z
    .array(
      z.strictObject({
        name: variantName,
        instance: instance.default({}),
        hidden: instance.default({}),
        limits: z.strictObject({ cpuSeconds: positive.optional(), wallSeconds: positive.optional() }).default({}),
        function: identifier.optional(),
        score: z.string().min(1).optional(),
        command: z
          .string()
          .regex(/^[^\r\n]{1,1000}$/, 'expected a command in one line, such as pytest -q')
          .optional(),
        threshold: z.number().optional(),
      }),
    )
    .max(8)
    .default([]),
  /** Python modules of tasks/library that the evaluator imports, by name. */
  library: z
    .array(z.string().regex(/^[a-z_][a-z0-9_]*$/, 'expected the name of a module in tasks/library'))
    .default([]),
  /** Python modules that are imported before a program is, where it is one in Python. */
  preload: z
    .array(z.string().regex(/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/, 'expected the name of a module, such as scipy.signal'))
    .max(16)
    .default([]),
  limits: taskLimits,
  /** Packages of its programs and evaluator: a named set, requirements.txt, pyproject.toml, or a list as in the second. */
  packages: z
    .union([
      z.enum(PACKAGE_SET_NAMES),
      z
        .string()
        .regex(
          /^(?:[\w.-]*requirements[\w.-]*\.txt|pyproject\.toml)$/,
          `expected ${PACKAGE_SET_NAMES.join(', ')}, requirements.txt, pyproject.toml or a list`,
        ),
      z.array(z.string().regex(/^[^\r\n]{1,300}$/, 'expected a requirement such as pandas>=2')).min(1),
    ])
    .optional(),
  /** An image that the engine has, by its name or id, with Python 3.11 or newer; or `Dockerfile`, from which it builds one. */
  image: z
    .string()
    .regex(/^[A-Za-z0-9][\w.:/@-]{0,254}$/, 'expected the name of an image, or Dockerfile')
    .optional(),
  /** Large files of the folder that are not kept in the database but by their hash. */
  dataFiles: z.array(z.string().min(1)).max(1_000).default([]),
  /** Data files that `evolve task fetch` brings into the folder. */
  downloads: z
    .array(
      z.strictObject({
        url: z.string().regex(/^https?:\/\/[^\s@/?#]+\/\S*$/, 'expected an address such as https://example.org/a.csv'),
        sha256: z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits: `sha256sum <file>` writes them'),
        file: z.string().min(1),
      }),
    )
    .max(1_000)
    .default([]),
  /** Environment variables of programs and evaluator: a text, or null for what the shell has when the run starts. */
  env: z
    .union([
      z.record(z.string(), variable),
      z.array(z.string()).transform((names) => new Map(names.map((name) => [name, null]))),
    ])
    .transform((named): { readonly [name: string]: string | null } =>
      Object.fromEntries(named instanceof Map ? named : Object.entries(named)),
    )
    .optional(),
  /**
   * Needs of a host that evaluates the task's programs: GPUs, which each program has to itself, memory, and
   * labels that the operator gave it.
   */
  needs: z
    .strictObject({
      gpu: z.int().min(1).max(16).optional(),
      memoryGb: z.int().min(1).max(100_000).optional(),
      labels: z.array(z.string().regex(LABEL, LABEL_EXPECTED)).min(1).max(8).optional(),
    })
    .optional(),
  /** True where time is part of the score: one such job per core at a time. */
  timed: z.boolean().default(false),
  values: values.default({}),
  /** The whole statement, in place of problem.md and prompts. */
  problem: z.string().min(1).optional(),
  prompts: parts.default([]),
  /** What each paper told its models, in our words, and the section of the paper that prints its own (`prompt.parts`). */
  paperParts: z
    .partialRecord(z.enum(PAPERS), z.strictObject({ place: z.string().min(1), parts: parts.min(1) }))
    .default({}),
  /**
   * The meaning of the metrics that the evaluator returns beside the score, one line each: unit, scale, good direction.
   * By frame (`prompt.frame`) where prompts of that frame alone show the metric.
   */
  metrics: z
    .record(
      z.string().regex(/^[A-Za-z_]\w{0,63}$/, 'expected the name of a metric'),
      z.union([meaning, z.strictObject({ common: meaning }), z.strictObject({ paper: meaning })], MEANING),
    )
    .default({}),
  /** Axes that make sense for an archive, in the form of `population.features`. */
  features: z.array(feature).default([]),
  /** L, U, alpha and k of the shaped reward; null where the paper shapes none. */
  shaping: z
    .strictObject({ lower: z.number(), upper: z.number(), alpha: positive, k: positive })
    .nullable()
    .default(null),
  /** A value that no solution can pass, with its proof's source. */
  bound: bound.optional(),
  /** Gain over the best value known, as a share of it, above which a score is re-evaluated before it counts. */
  suspectGain: positive.default(0.01),
  /** The score of the initial program: exact, or a band; `quick` is what checks run in place of long programs. */
  initial: startScore.refine(eitherScoreOrBand, EITHER).optional(),
  /**
   * Other initial programs, by the name that the setting `initial` chooses; each says what it is and what it scores.
   */
  starts: z
    .record(
      variantName,
      startScore
        .extend({
          file: z.string().min(1),
          what: z.string().min(1),
          /** Where a published construction can be fetched that the start takes (`--initial-data`). */
          fetch: z.string().min(1).optional(),
        })
        .refine(eitherScoreOrBand, EITHER),
    )
    .default({}),
  /**
   * Variants of the task, by the name that the setting `instance` chooses. Keys of `instance`, `hidden`, `smoke` and
   * `limits` take the place of the task's; `references` and `initial` are the variant's own.
   */
  instances: z
    .record(
      variantName,
      z.strictObject({
        what: z.string().min(1),
        instance: instance.default({}),
        hidden: instance.default({}),
        smoke: instance.default({}),
        limits: limits.partial().default({}),
        values: values.default({}),
        data: z.enum(['fixed', 'drawn']).optional(),
        initial: startScore.refine(eitherScoreOrBand, EITHER).optional(),
        bound: bound.optional(),
        references: references.default([]),
        /**
         * The row that a paper's table has for the variant: `metric` (the score, or a metric) times `scale` is what its
         * values are, by whose they are.
         */
        table: z
          .strictObject({
            title: z.string().min(1),
            metric: z.string().min(1),
            scale: positive.default(1),
            values: z.record(z.string(), z.number()),
          })
          .optional(),
      }),
    )
    .default({}),
  picture: z.literal('circles-in-unit-square').nullable().default(null),
  references: references.default([]),
});

export type TaskFile = z.infer<typeof taskSchema>;
