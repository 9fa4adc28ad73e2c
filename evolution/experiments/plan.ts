// The sweep of an experiment file: the runs of the table's cells. Cells with the same settings share their runs.
import { canonicalJson } from '../canonical-json.ts';
import { BYTES_MODEL, BYTES_SAMPLING } from '../config/bytes.ts';
import { ConfigError } from '../config/config-error.ts';
import { withoutListed } from '../budget/prices.ts';
import { changedKeys, flat, fromDotted, merge, type Path, valueAt } from '../config/layers.ts';
import { OFFLINE_MODEL, OFFLINE_ROLES } from '../config/offline.ts';
import type { Whereabouts } from '../config/problems.ts';
import type { LearningSettings, RunConfig } from '../config/run-config.ts';
import { resolveConfig } from '../methods/resolve.ts';
import { modelPool } from '../models/ensemble.ts';
import { rng } from '../rng.ts';
import type { Json } from '../types.ts';
import { scaledSize } from './scale.ts';
import { type Case, type Experiment, type ExperimentFile, learns, makesRuns, type Row, settingsOf } from './spec.ts';

/** The choices of a person beside the file. */
export type Choice = {
  /** From above 0 to 1. */
  readonly scale: number;
  /** The number of the file's seeds, from the first; null: all. */
  readonly seeds: number | null;
  /** The paper's models at an endpoint, one model in the place of them all, or the offline model. */
  readonly answers:
    | { readonly kind: 'published'; readonly baseUrl: string }
    | { readonly kind: 'one'; readonly name: string; readonly baseUrl: string }
    | { readonly kind: 'offline' };
  /** Settings that are laid over those of every row. */
  readonly over: Record<string, unknown>;
  /** The trainer in rows that learn; null: the file's. */
  readonly trainer: LearningSettings['trainer'] | null;
  /** The policy that answers in the rows that need one, as `<run>@<version>`; null: these rows are left out. */
  readonly policy: string | null;
};

/** One row in one column of the table. */
export type Cell = {
  readonly row: Row;
  readonly of: Case;
  /** The place of its runs in `groups`; null where it has none. */
  readonly group: number | null;
  /** The number of steps after which the score is read; null: at the end. */
  readonly atStep: number | null;
};

export type Plan = {
  /** The name of the sweep, by which a second call finds it. */
  readonly name: string;
  /** The experiment that makes the runs, and by which choice. */
  readonly made: { readonly paper: string; readonly id: string; readonly choice: Choice };
  readonly seeds: readonly number[];
  readonly cells: readonly Cell[];
  /** The shared settings, and those of each group, by dotted key. */
  readonly base: { readonly [dottedKey: string]: Json };
  readonly groups: readonly { readonly [dottedKey: string]: Json }[];
  readonly configs: readonly RunConfig[];
};

/** Throws a ConfigError with every problem of the rows' settings, each with the place in the file. */
export const planOf = ({ experiment, where }: ExperimentFile, choice: Choice): Plan => {
  const { cases, rows } = experiment;
  refuseAblated(experiment, choice.over);
  const groups = new Map<string, { readonly settings: Plan['groups'][number]; readonly config: RunConfig }>();
  const problems = new Set<string>();
  const runOf = (row: Row, one: Case): { readonly group: number; readonly config: RunConfig } | null => {
    try {
      const written = settingsOf(experiment, one, row);
      const settings = withChoice(written, row, choice, placesOf(experiment, one, row, where));
      const { config } = resolveConfig([{ settings, where: placesOf(experiment, one, row, where) }]);
      const key = canonicalJson(config);
      if (!groups.has(key)) groups.set(key, { settings: flat(settings), config });
      return { group: [...groups.keys()].indexOf(key), config };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      for (const problem of error.problems) problems.add(`${problem} This is row ${row.name}, case ${one.id}.`);
      return null;
    }
  };
  const cells = rows.flatMap((row) =>
    cases.map((one): Cell => {
      if (one.scores !== undefined) return { row, of: one, group: null, atStep: null };
      if (row.needs === 'policy' && choice.policy === null) return { row, of: one, group: null, atStep: null };
      if (makesRuns(row)) return { row, of: one, group: runOf(row, one)?.group ?? null, atStep: null };
      const steps = row.readAt?.steps[one.id];
      const read = rows.find(({ name }) => name === row.readAt?.row);
      const run = read === undefined || steps === undefined ? null : runOf(read, one);
      if (run === null) return { row, of: one, group: null, atStep: null };
      const whole = fullSize(settingsOf(experiment, one, read!)).limits.steps ?? steps!;
      return {
        row,
        of: one,
        group: run.group,
        atStep: Math.max(1, Math.round((steps! * (run.config.limits.steps ?? whole)) / whole)),
      };
    }),
  );
  if (problems.size > 0) throw new ConfigError([...problems]);
  refuseOtherDifferences(experiment, where);
  const all = [...groups.values()];
  return {
    name: sweepNameOf(experiment, choice),
    made: { paper: experiment.paper, id: experiment.reads?.runsOf ?? experiment.id, choice },
    seeds: experiment.seeds.slice(0, choice.seeds ?? undefined),
    cells,
    ...shared(all.map(({ settings }) => settings)),
    configs: all.map(({ config }) => config),
  };
};

/** The cells that the table or figure shows: all that are run, unless it reads the runs of another. */
export const shownCells = ({ reads }: Experiment, cells: readonly Cell[]): readonly Cell[] =>
  cells.filter(({ row, of }) => reads === undefined || (reads.rows.includes(row.name) && reads.cases.includes(of.id)));

/** A setting of a row that is not as in the first row that is run. */
export type Difference = {
  readonly key: string;
  /** The cases in which it has these values; null: all. */
  readonly cases: readonly string[] | null;
  readonly first: Json;
  readonly own: Json;
};

export type Arm = {
  readonly name: string;
  /** By key; one that differs in several ways has the values of the first case in which it differs. */
  readonly differsFromFirst: { readonly [key: string]: readonly [first: Json, own: Json] };
  /** All of them, those of a key together. */
  readonly differences: readonly Difference[];
};

/** The rows that are run, with the models of the paper. */
export const armsOf = (experiment: Experiment): readonly Arm[] => {
  const { reads } = experiment;
  const rows = experiment.rows.filter(
    (row) => makesRuns(row) && row.needs === undefined && (reads?.rows.includes(row.name) ?? true),
  );
  const cases = experiment.cases.filter(
    ({ id, scores }) => scores === undefined && (reads?.cases.includes(id) ?? true),
  );
  const inCases = cases.map((one) => ({
    id: one.id,
    configs: rows.map((row) => withoutListed(fullSize(settingsOf(experiment, one, row)))),
  }));
  return rows.map(({ name }, at) => {
    const each = inCases.flatMap(({ id, configs }) => {
      const [first, own] = [configs[0]!, configs[at]!];
      const of = (config: RunConfig, key: string): Json => (valueAt(config, key.split('.')) ?? null) as Json;
      return changedKeys(first, own).map((key) => ({ key, id, first: of(first, key), own: of(own, key) }));
    });
    const differences = [...Map.groupBy(each, ({ key }) => key).values()].flatMap((ofKey) =>
      [...Map.groupBy(ofKey, ({ first, own }) => canonicalJson([first, own])).values()].map((alike): Difference => {
        const { key, first, own } = alike[0]!;
        return { key, cases: alike.length === cases.length ? null : alike.map(({ id }) => id), first, own };
      }),
    );
    const pairs = differences.toReversed().map(({ key, first, own }) => [key, [first, own] as const] as const);
    return { name, differsFromFirst: Object.fromEntries(pairs), differences };
  });
};

/** Names of runs and reports of sweeps tell what groups differ in, so what they share is said once. */
const shared = (all: Plan['groups']): Pick<Plan, 'base' | 'groups'> => {
  const [first = {}] = all;
  const common = Object.keys(first).filter((key) =>
    all.every((one) => Object.hasOwn(one, key) && canonicalJson(one[key]) === canonicalJson(first[key])),
  );
  const pick = (one: Plan['base'], wanted: (key: string) => boolean): Plan['base'] =>
    Object.fromEntries(Object.entries(one).filter(([key]) => wanted(key)));
  return {
    base: pick(first, (key) => common.includes(key)),
    groups: all.map((one) => pick(one, (key) => !common.includes(key))),
  };
};

/** The specification of the sweep that makes the runs. */
export const sweepOf = ({ name, made, seeds, base, groups }: Plan, maxParallel: number): Json => ({
  name,
  // More seeds are added to a sweep of the same name.
  experiment: { ...made, choice: { ...made.choice, seeds: null } } as Json,
  base: fromDotted(base) as Json,
  list: groups.map((group) => ({ ...group })),
  seeds: [...seeds],
  maxParallel,
});

const sweepNameOf = (
  { paper, id, reads: { runsOf } = { runsOf: id, cases: [], rows: [] } }: Experiment,
  { scale, answers, over, trainer, policy }: Choice,
): string => {
  const learning = { ...(trainer === null ? {} : { trainer }), ...(policy === null ? {} : { policy }) };
  const plain =
    scale === 1 && answers.kind === 'published' && Object.keys(over).length + Object.keys(learning).length === 0;
  const { baseUrl: _, ...who } = { baseUrl: '', ...answers };
  return plain
    ? `${paper}-${runsOf}`
    : `${paper}-${runsOf}-${rng(canonicalJson({ scale, who, over, ...learning }), 'experiment')
        .int(0x1000000)
        .toString(16)
        .padStart(6, '0')}`;
};

/** An address that nobody answers, to read the size of a run. */
const NOWHERE = 'http://127.0.0.1:1/v1';

/** The complete settings of the paper's run, as if its models were at hand. */
export const fullSize = (written: Record<string, unknown>, where: Whereabouts = () => 'experiment'): RunConfig =>
  resolveConfig([
    { settings: { model: { kind: 'openai', baseUrl: NOWHERE, name: 'unnamed' } }, where: () => 'experiment' },
    { settings: written, where },
  ]).config;

/** The settings of a run: as written, in the size of the scale, answered by whom the choice says. */
const withChoice = (
  written: Record<string, unknown>,
  row: Row,
  { scale, answers, over, trainer, policy }: Choice,
  where: Whereabouts,
): Record<string, unknown> => {
  const full = fullSize(written, where);
  const size = scaledSize(full, scale);
  if (size === null)
    throw new ConfigError([
      `${where(['limits'])}: limits: expected steps or programs, by which an experiment has a size, got neither.`,
    ]);
  const trained = learns(written) && trainer !== null ? { learning: { trainer } } : {};
  const asked = row.needs === 'policy' ? { model: { policy } } : {};
  const who = answeredBy(answers, full, written, learns(written) || row.needs === 'policy');
  return [size, who, trained, asked, over].reduce((below, above) => merge(below, above), written);
};

/** Enough for the form of answers to be seen, on any task. */
const SHORT_WARMUP = { examples: 32, steps: 40, batch: 8 };

/**
 * Where no model of the paper answers: short programs, in the image that is there. Five seconds are enough for every
 * initial program that does a fixed amount of work; what the others saved counts.
 */
const OFFLINE = { cpuSeconds: 5, acceptSavedOnTimeout: true, packages: null };

const answeredBy = (
  answers: Choice['answers'],
  full: RunConfig,
  written: Record<string, unknown>,
  isPolicy: boolean,
): Record<string, unknown> => {
  switch (answers.kind) {
    case 'published':
      return { model: { kind: 'openai', baseUrl: answers.baseUrl } };
    case 'one': {
      const roles = [...new Set(modelPool(full).flatMap((model) => model.roles))];
      const price = answers.name === full.model.name ? full.model.price : null;
      return { model: { kind: 'openai', name: answers.name, baseUrl: answers.baseUrl, price, roles }, models: [] };
    }
    case 'offline':
      if (isPolicy)
        return {
          model: { kind: 'openai', name: BYTES_MODEL, baseUrl: null, price: { in: 0, out: 0 }, ...BYTES_SAMPLING },
          models: [],
          ...(full.learning.trainer === 'none'
            ? {}
            : { learning: { trainer: 'reference', base: BYTES_MODEL, warmup: SHORT_WARMUP } }),
          evaluation: OFFLINE,
        };
      return {
        model: { kind: 'offline', name: OFFLINE_MODEL, baseUrl: null, price: { in: 0, out: 0 }, roles: OFFLINE_ROLES },
        models: [],
        evaluation: OFFLINE,
        ...(valueAt(written, ['embedding']) === undefined
          ? {}
          : { embedding: { model: OFFLINE_MODEL, baseUrl: null } }),
      };
  }
};

/** The place where a setting of a cell was written: row, case, models or common. */
const placesOf =
  ({ cases, rows, models, common }: Experiment, one: Case, row: Row, where: Whereabouts): Whereabouts =>
  (path) => {
    const set = row.model ?? one.model;
    const places: readonly (readonly [unknown, Path])[] = [
      [row.cases?.[one.id], ['rows', rows.indexOf(row), 'cases', one.id]],
      [row.settings, ['rows', rows.indexOf(row), 'settings']],
      [one.settings, ['cases', cases.indexOf(one), 'settings']],
      [set === undefined ? undefined : models[set], ['models', set ?? '']],
      [common, ['common']],
    ];
    const place = places.find(([settings]) => valueAt(settings, path) !== undefined);
    return where(place === undefined ? ['cases', cases.indexOf(one)] : [...place[1], ...path]);
  };

const covers = (entry: string, key: string): boolean =>
  key === entry || key.startsWith(`${entry}.`) || entry.startsWith(`${key}.`);

/** Refuses settings for all rows in which rows differ. */
const refuseAblated = ({ ablated }: Experiment, over: Record<string, unknown>): void => {
  const problems = Object.keys(flat(over)).flatMap((key) => {
    const entry = ablated.find((one) => covers(one, key));
    return entry === undefined
      ? []
      : [`--set ${key}: expected a setting that all rows share, got one in which they differ (ablated: ${entry}).`];
  });
  if (problems.length > 0) throw new ConfigError(problems);
};

/** A comparison shows something only where rows differ in what is asked about. */
const refuseOtherDifferences = (experiment: Experiment, where: Whereabouts): void => {
  const { undeclared, unused } = ablationOf(experiment);
  if (undeclared.length > 0)
    throw new ConfigError([
      `${where(['ablated'])}: ablated: expected rows that differ in ${experiment.ablated.join(', ') || 'nothing'} alone, got rows that differ in ${undeclared.join(', ')} too.`,
    ]);
  if (unused.length > 0)
    throw new ConfigError([
      `${where(['ablated'])}: ablated: expected settings in which rows differ, got ${unused.join(', ')}, in which they are the same.`,
    ]);
};

/**
 * The settings in which the rows of a case differ for the paper's models, against the list of the file. Both are empty
 * where rows differ in the ablated part alone.
 */
const ablationOf = (
  experiment: Experiment,
): { readonly undeclared: readonly string[]; readonly unused: readonly string[] } => {
  // Rows that need a policy of another run are asked of it, whatever they are compared with.
  const runs = experiment.rows.filter((row) => makesRuns(row) && row.needs === undefined);
  const keys = new Set(
    experiment.cases
      .filter(({ scores }) => scores === undefined)
      .flatMap((one) => {
        const [first, ...others] = runs.map((row) => withoutListed(fullSize(settingsOf(experiment, one, row))));
        return others.flatMap((other) => changedKeys(first, other));
      }),
  );
  return {
    undeclared: [...keys].filter((key) => !experiment.ablated.some((entry) => covers(entry, key))).sort(),
    unused: experiment.ablated.filter((entry) => ![...keys].some((key) => covers(entry, key))),
  };
};
