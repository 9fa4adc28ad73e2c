// The file of a paper's table or figure: its rows, columns, differences and printed numbers (docs/experiments.md).
import { z } from 'zod';
import { ConfigError } from '../config/config-error.ts';
import { isPlain, merge, type Path, valueAt } from '../config/layers.ts';
import { didYouMean } from '../config/nearest.ts';
import { schemaProblems, type Whereabouts } from '../config/problems.ts';
import { settingsSchema } from '../config/settings.ts';
import { ANY, above, finite, oneOf, whole } from '../config/settings/leaves.ts';
import { shown } from '../config/shown.ts';
import { fileLayer } from '../config/sources.ts';

/** The version of the format of experiment files. A file of another version is refused. */
export const EXPERIMENT_FORMAT = 1;

export const PAPERS = ['thetaevolve', 'deltaevolve', 'alpharesearch', 'codeevolve'] as const;

const words = (expected: string) => z.string({ error: expected }).regex(/\S/, expected);
const NAME = 'a name of 1 to 30 characters a-z, 0-9 and -';
const name = z.string({ error: NAME }).regex(/^[a-z0-9](?:[a-z0-9-]{0,28}[a-z0-9])?$/, NAME);
const seed = whole(0, ANY);

/** The numbers that a paper prints in a row and column. */
const printed = z.strictObject({
  mean: finite().optional(),
  best: finite().optional(),
  worst: finite().optional(),
  sd: finite().optional(),
  /** Scores by seed. */
  seeds: z.record(z.string(), finite(), { error: 'a mapping of seeds to scores' }).optional(),
  tokens: whole(0, ANY).optional(),
  costUsd: finite().optional(),
  hours: finite().optional(),
});

/** The number of the paper made of our score: `of / score`, or `of * score`; left out: the score. */
const shownAs = z.strictObject({ kind: oneOf('ratio', 'factor'), of: above(0, 1e12) });

const modelSet = z.strictObject({
  model: settingsSchema.shape.model,
  models: settingsSchema.shape.models,
  /** Those that no provider has, and what the file proposes in their place. */
  notServed: z
    .array(z.strictObject({ name: words('a model'), inItsPlace: words('what to take in its place') }))
    .optional(),
});

const caseSchema = z.strictObject({
  id: name,
  title: words('a title'),
  task: words('the name of a task'),
  /** A named variant and a named initial program of the task. */
  instance: words('the name of an instance').optional(),
  initial: words('the name of an initial program').optional(),
  /** The best programs of another case's runs are scored on this one's instance, without runs of its own. */
  scores: name.optional(),
  /** The name of one of the file's `models`. */
  model: name.optional(),
  settings: settingsSchema.optional(),
  shown: shownAs.optional(),
  /** The metric of the best program in which the paper's numbers are given, in the place of its score. */
  metric: words('the name of a metric').optional(),
  /** Why the paper's numbers cannot be compared with ours. They are printed all the same, and marked. */
  incomparable: words('a reason').optional(),
});

const values = z.record(z.string(), printed, { error: 'a mapping of cases to what the paper prints' }).default({});

const rowSchema = z.strictObject({
  name: words('a name'),
  settings: settingsSchema.optional(),
  model: name.optional(),
  /** The row stands in the paper and makes no run: the numbers are quoted there from elsewhere. */
  reported: z.literal(true, { error: 'true, or no such key' }).optional(),
  /** The row holds the best results of people. */
  human: z.literal(true, { error: 'true, or no such key' }).optional(),
  /** The need of this row's runs: a policy of another run (`--policy`). */
  needs: oneOf('policy').optional(),
  /** Settings of this row in one case, over all others. */
  cases: z.record(z.string(), settingsSchema, { error: 'a mapping of cases to settings' }).optional(),
  /** The row is a reading of the runs of another row, after so many steps; by case. */
  readAt: z
    .strictObject({
      row: words('the name of a row'),
      steps: z.record(z.string(), whole(1, 999_999), { error: 'a mapping of cases to steps' }),
    })
    .optional(),
  values,
});

/** The figure that is drawn of the runs. Left out: the best so far along the programs, a picture for each case. */
const figureSchema = z.strictObject({
  /** A curve along `x`; a point for each row; or the distribution of the judge's scores of ideas. */
  kind: oneOf('curve', 'points', 'distribution').default('curve'),
  x: oneOf('programs', 'tokens', 'costUsd', 'seconds').default('programs'),
  /** What a curve shows, a picture for each: `rounds` are the ideas that were scrapped, succeeded and failed. */
  y: z.array(oneOf('score', 'tokensEach', 'costUsd', 'rounds'), { error: 'a list' }).default(['score']),
  /** Rows are one series of points where their names begin with the same of these. */
  series: z.array(words('the beginning of names of rows'), { error: 'a list of beginnings' }).default([]),
});

const head = {
  format: z.literal(EXPERIMENT_FORMAT, {
    error: `${EXPERIMENT_FORMAT}, the version of the format that this version of DurableEvolve reads`,
  }),
  paper: oneOf(...PAPERS),
  id: name,
  title: words('a title'),
  /** The place in the paper. */
  source: words('a section, table or figure'),
  figure: figureSchema.prefault({}),
  /** Notes for readers before they compare. */
  notes: z.array(words('a sentence'), { error: 'a list of sentences' }).default([]),
};
/** Another table or figure of the runs of an experiment. */
const readingSchema = z.strictObject({
  ...head,
  /** The experiment that makes the runs. */
  runsOf: name,
  /** Those of its cases and rows that are shown; left out: all. */
  cases: z.array(name, { error: 'a list of cases' }).optional(),
  rows: z.array(words('the name of a row'), { error: 'a list of rows' }).optional(),
  /** The numbers that the paper prints here, by row; left out: those of the experiment. */
  values: z.record(z.string(), values, { error: 'a mapping of rows to cases' }).default({}),
});

const experimentSchema = z.strictObject({
  ...head,
  seeds: z.array(seed, { error: 'a list of seeds' }).min(1, 'at least one seed'),
  models: z.record(z.string(), modelSet, { error: 'a mapping of names to models' }).default({}),
  common: settingsSchema.default({}),
  cases: z.array(caseSchema, { error: 'a list of cases' }).min(1, 'at least one case'),
  /** The settings in which rows differ, as keys (`prompt.scores`) or sections (`selection`). */
  ablated: z.array(words('a setting or a section'), { error: 'a list of settings or sections' }),
  rows: z.array(rowSchema, { error: 'a list of rows' }).min(1, 'at least one row'),
});

export type Experiment = z.infer<typeof experimentSchema> & {
  /** The experiment whose runs this one shows, and what it shows of them: one that only reads. */
  readonly reads?: { readonly runsOf: string; readonly cases: readonly string[]; readonly rows: readonly string[] };
};
export type FigureSpec = Experiment['figure'];
export type Case = Experiment['cases'][number];
export type Row = Experiment['rows'][number];
export type Printed = z.infer<typeof printed>;
export type ExperimentFile = { readonly experiment: Experiment; readonly where: Whereabouts };

/**
 * Parses and checks an experiment file. `other` is another experiment of its paper, whose runs it may read. Throws a
 * ConfigError with every problem and its place.
 */
export const experimentFromFile = (
  file: string,
  text: string,
  other: (id: string) => ExperimentFile,
): ExperimentFile => {
  const { settings, where } = fileLayer(file, text, 'format: 1');
  const format = (settings as { readonly format?: unknown } | null)?.format;
  // A file of another version has other keys, and complaints about each of them would hide the reason.
  if (format !== EXPERIMENT_FORMAT)
    throw new ConfigError([
      `${where(['format'])}: format: expected ${EXPERIMENT_FORMAT}, the version of the format that this version of DurableEvolve reads, got ${shown(format)}.`,
    ]);
  const checked = <T extends z.ZodType>(schema: T): z.infer<T> => {
    const result = schema.safeParse(settings);
    if (result.success) return result.data;
    throw new ConfigError(schemaProblems(result.error.issues, settings, where, schema));
  };
  const refuse = (clashing: ReturnType<typeof clashes>): void => {
    const problems = clashing.map(
      ([path, problem]) => `${where(path)}: ${path.join('.')}: ${problem}${/[.?]$/.test(problem) ? '' : '.'}`,
    );
    if (problems.length > 0) throw new ConfigError(problems);
  };
  if (isPlain(settings) && settings['runsOf'] !== undefined) {
    const reading = checked(readingSchema);
    const base = other(reading.runsOf);
    refuse(missing(reading, base.experiment));
    return { experiment: readingOf(reading, base.experiment), where: base.where };
  }
  const experiment = checked(experimentSchema);
  refuse(clashes(experiment));
  return { experiment, where };
};

type Reading = z.infer<typeof readingSchema>;

const readingOf = ({ runsOf, cases, rows, values: printedHere, ...own }: Reading, base: Experiment): Experiment => ({
  ...base,
  ...own,
  notes: [...base.notes, ...own.notes],
  rows:
    Object.keys(printedHere).length === 0
      ? base.rows
      : base.rows.map((row) => ({ ...row, values: printedHere[row.name] ?? {} })),
  reads: {
    runsOf: base.reads?.runsOf ?? runsOf,
    cases: cases ?? base.cases.map(({ id }) => id),
    rows: rows ?? base.rows.map((row) => row.name),
  },
});

/** The cases and rows that a reading names and its experiment has not. */
const missing = ({ cases = [], rows = [], values: by }: Reading, base: Experiment): ReturnType<typeof clashes> => {
  const ids = base.cases.map(({ id }) => id);
  const names = base.rows.map((row) => row.name);
  const places: readonly (readonly [Path, string, readonly string[]])[] = [
    ...cases.map((one, index) => [['cases', index], one, ids] as const),
    ...rows.map((one, index) => [['rows', index], one, names] as const),
    ...Object.entries(by).flatMap(([row, inRow]) => [
      [['values', row], row, names] as const,
      ...Object.keys(inRow).map((id) => [['values', row, id], id, ids] as const),
    ]),
  ];
  return places.flatMap(([path, got, known]) =>
    known.includes(got)
      ? []
      : [[path, `expected one of ${known.join(', ')} of ${base.id}, got ${shown(got)}.${didYouMean(got, known)}`]],
  );
};

/** Checks beyond the schema: names that must exist, and names that must be unique. */
const clashes = (experiment: Experiment): readonly (readonly [Path, string])[] => {
  const { cases, rows, models } = experiment;
  const ids = cases.map(({ id }) => id);
  const names = rows.map((row) => row.name);
  const known = Object.keys(models);
  const problems: (readonly [Path, string])[] = [];
  const expectKnown = (path: Path, got: string | undefined, all: readonly string[], kind: string): void => {
    if (got !== undefined && !all.includes(got))
      problems.push([
        path,
        `expected one of the ${kind} of this file (${all.join(', ') || 'it has none'}), got ${shown(got)}.${didYouMean(got, all)}`,
      ]);
  };
  const expectOnce = (all: readonly string[], at: string, key: string): void =>
    all.forEach((one, index) => {
      if (all.indexOf(one) < index) problems.push([[at, index, key], `expected each ${key} once, got ${one} again`]);
    });
  expectOnce(ids, 'cases', 'id');
  experiment.seeds.forEach((one, index, all) => {
    if (all.indexOf(one) < index) problems.push([['seeds', index], `expected each seed once, got ${one} again`]);
  });
  const seeds = experiment.seeds.map(String);
  expectOnce(names, 'rows', 'name');
  const own = cases.filter(({ scores }) => scores === undefined).map(({ id }) => id);
  cases.forEach(({ model, scores }, index) => {
    expectKnown(['cases', index, 'model'], model, known, 'models');
    expectKnown(['cases', index, 'scores'], scores, own, 'cases that make runs');
  });
  rows.forEach(({ model, values, readAt, reported, needs, settings, cases: inCases }, index) => {
    expectKnown(['rows', index, 'model'], model, known, 'models');
    for (const [id, { seeds: bySeed = {} }] of Object.entries(values)) {
      expectKnown(['rows', index, 'values', id], id, ids, 'cases');
      for (const one of Object.keys(bySeed))
        expectKnown(['rows', index, 'values', id, 'seeds', one], one, seeds, 'seeds');
    }
    for (const id of Object.keys(readAt?.steps ?? {}))
      expectKnown(['rows', index, 'readAt', 'steps', id], id, ids, 'cases');
    for (const id of Object.keys(inCases ?? {})) expectKnown(['rows', index, 'cases', id], id, ids, 'cases');
    const runs = rows.filter((row) => makesRuns(row) && row.needs === undefined).map((row) => row.name);
    expectKnown(['rows', index, 'readAt', 'row'], readAt?.row, runs, 'rows that are run');
    const kinds = [reported && 'reported', needs && 'needs', readAt && 'readAt'].filter((kind) => kind !== undefined);
    if (kinds.length > 1) problems.push([['rows', index], `expected one of ${kinds.join(', ')}, got all of them`]);
    for (const [key, own] of Object.entries({ settings, cases: inCases }))
      if (kinds.length > 0 && kinds[0] !== 'needs' && own !== undefined)
        problems.push([['rows', index, key], `a row with ${kinds[0]} makes no runs, so it has no settings`]);
  });
  // Without a name, each row would be answered by its method's own models, and rows would differ in them.
  const nameless = (problems.length === 0 ? rows : [])
    .filter(makesRuns)
    .flatMap((row) =>
      cases.filter(
        (one) =>
          one.scores === undefined &&
          (settingsOf(experiment, one, row)['model'] as { name?: string } | undefined)?.name === undefined,
      ),
    );
  if (nameless.length > 0)
    problems.push([
      ['cases', cases.indexOf(nameless[0]!)],
      'expected a model that answers (model.name in common, in models, in the case or in the row), got none',
    ]);
  if (!rows.some(makesRuns)) problems.push([['rows'], 'expected at least one row that is run, got none']);
  return problems;
};

export const makesRuns = ({ reported, readAt }: Row): boolean => reported === undefined && readAt === undefined;

/** True where the model of a run learns. */
export const learns = (settings: Record<string, unknown>): boolean =>
  (valueAt(settings, ['learning', 'trainer']) ?? 'none') !== 'none';

const modelsIn = ({ notServed: _, ...settings }: Experiment['models'][string]): Record<string, unknown> => settings;

/** The models of the experiment that nobody serves, once each. */
export const notServedIn = ({
  models,
}: Experiment): readonly { readonly name: string; readonly inItsPlace: string }[] => [
  ...new Map(Object.values(models).flatMap(({ notServed = [] }) => notServed.map((one) => [one.name, one]))).values(),
];

/** Stands for the policy that a person names. */
const SOME_POLICY = { model: { policy: 'run@0' } };

/** The settings of a row and a case, from the weakest to the strongest: common, models, case, row, row in the case. */
export const settingsOf = ({ common, models }: Experiment, one: Case, row: Row): Record<string, unknown> => {
  const set = row.model ?? one.model;
  return [
    common,
    set === undefined ? {} : modelsIn(models[set]!),
    one.settings ?? {},
    row.needs === 'policy' ? SOME_POLICY : {},
    row.settings ?? {},
    row.cases?.[one.id] ?? {},
  ].reduce<Record<string, unknown>>((below, above_) => merge(below, above_), {
    // The papers draw each step after the one before.
    schedule: 'steps',
    task: one.task,
    ...(one.instance === undefined ? {} : { instance: one.instance }),
    ...(one.initial === undefined ? {} : { initial: one.initial }),
  });
};
