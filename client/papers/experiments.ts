// The experiments of the papers, which are files in experiments/: listed, made ready to be run as sweeps, and read
// back beside the papers' numbers (docs/experiments.md).
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { GIVEN_BYTES, readGiven } from '../../activities/given-file.ts';
import type { RunDocument, SweepDocument } from '../../activities/store/documents/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { usableTask } from '../../activities/task/usable-task.ts';
import { PROJECT_ROOT } from '../../deploy/host/home.ts';
import { canonicalJson } from '../../evolution/canonical-json.ts';
import { didYouMean } from '../../evolution/config/nearest.ts';
import { INVENTED, inventsScores } from '../../evolution/config/noop.ts';
import { tidyUrl } from '../../evolution/config/layers.ts';
import { OFFLINE_MODEL } from '../../evolution/config/offline.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { type CellReport, cellReport, type CellRun } from '../../evolution/experiments/beside.ts';
import { estimateOf, type Estimate, textsOf } from '../../evolution/experiments/estimate.ts';
import { itemsFromFile, type PaperItem } from '../../evolution/experiments/items.ts';
import { type Cell, type Choice, type Plan, planOf, shownCells } from '../../evolution/experiments/plan.ts';
import {
  PAPERS,
  experimentFromFile,
  learns,
  makesRuns,
  settingsOf,
  type Case,
  type Experiment,
  type ExperimentFile,
} from '../../evolution/experiments/spec.ts';
import { rankingScore } from '../../evolution/scoring/ranking.ts';
import { AS_IT_IS, taskChoice } from '../../evolution/task/task-choice.ts';
import type { Task } from '../../evolution/task/task.ts';
import type { Direction, ProgramId } from '../../evolution/types.ts';
import { machineOf, type Place } from '../connect/connection.ts';
import { UsageError } from '../connect/errors.ts';
import { checkFit } from '../runs/preflight.ts';

export const EXPERIMENTS = join(PROJECT_ROOT, 'experiments');

const idsOf = (root: string, paper: string): readonly string[] => {
  const folder = join(root, paper);
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((file) => file.endsWith('.yaml'))
        .map((file) => file.slice(0, -'.yaml'.length))
        .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    : [];
};

/** Throws UsageError with the possible names, or ConfigError with the fault of the file. */
export const readExperiment = (paper: string, id: string, root: string = EXPERIMENTS): ExperimentFile => {
  const papers = PAPERS.filter((one) => idsOf(root, one).length > 0);
  if (!(papers as readonly string[]).includes(paper))
    throw new UsageError(
      `expected one of the papers ${papers.join(', ')}, got ${JSON.stringify(paper)}.${didYouMean(paper, papers)}`,
    );
  const ids = idsOf(root, paper);
  const why = ids.includes(id)
    ? null
    : (paperItems(root).find((one) => one.paper === paper && idOf(one.item) === id)?.why ?? null);
  if (why !== null) throw new UsageError(`there is no experiment ${id} of ${paper}: ${why}`);
  if (!ids.includes(id))
    throw new UsageError(
      `expected an experiment of ${paper} (${ids.join(', ')}), got ${JSON.stringify(id)}.${didYouMean(id, ids)}`,
    );
  const path = join(root, paper, `${id}.yaml`);
  return experimentFromFile(path, readGiven(path, { maxBytes: GIVEN_BYTES.settings }), (other) =>
    readExperiment(paper, other, root),
  );
};

/** The id that an experiment of an item has: `Table 2` has table-2. */
const idOf = (item: string): string => item.toLowerCase().replaceAll(' ', '-');

/** Every experiment file. Throws ConfigError where one is wrong. */
export const listedExperiments = (root: string = EXPERIMENTS): readonly Experiment[] =>
  PAPERS.flatMap((paper) => idsOf(root, paper).map((id) => readExperiment(paper, id, root).experiment));

/** Every table and figure of the papers. Throws ConfigError where the list or an experiment file is wrong. */
export const paperItems = (root: string = EXPERIMENTS): readonly PaperItem[] => {
  const path = join(root, 'items.yaml');
  return itemsFromFile(path, readGiven(path, { maxBytes: GIVEN_BYTES.settings }), listedExperiments(root));
};

export type ExperimentLine = {
  readonly paper: string;
  readonly id: string;
  readonly title: string;
  readonly runs: number;
  readonly programs: number;
  /** True where the table has rows whose model learns, or that need a policy of another run. */
  readonly needsLearning: boolean;
};

/** Every experiment in full size, with the models of its paper. One that reads has the size of what it reads. */
export const listExperiments = (root: string = EXPERIMENTS): readonly ExperimentLine[] => {
  const sizes = new Map<string, Pick<ExperimentLine, 'runs' | 'programs' | 'needsLearning'>>();
  return PAPERS.flatMap((paper) =>
    idsOf(root, paper).map((id) => {
      const file = readExperiment(paper, id, root);
      const { title, reads } = file.experiment;
      const of = `${paper} ${reads?.runsOf ?? id}`;
      const size = sizes.get(of) ?? sizeIn(file);
      sizes.set(of, size);
      return { paper, id, title, ...size };
    }),
  );
};

const sizeIn = (file: ExperimentFile): Pick<ExperimentLine, 'runs' | 'programs' | 'needsLearning'> => {
  const plan = planOf(file, PUBLISHED);
  const { runs, programs } = estimateOf(plan.configs, plan.seeds.length, () => ({ statement: 0, initial: 0 }));
  const { rows, cases } = file.experiment;
  const needsLearning = rows.some(
    (row) =>
      row.needs !== undefined || cases.some((one) => makesRuns(row) && learns(settingsOf(file.experiment, one, row))),
  );
  return { runs, programs, needsLearning };
};

/** The models of the paper, at an endpoint that is not known yet: for plans only. */
export const PAPER_MODELS: Choice['answers'] = { kind: 'published', baseUrl: 'http://127.0.0.1:1/v1' };

const PUBLISHED: Choice = { scale: 1, seeds: null, answers: PAPER_MODELS, over: {}, trainer: null, policy: null };

/**
 * The models that answer: the one of the flag for all, else those of the paper at the endpoint, else, where no
 * endpoint is known, the offline model. Throws UsageError where a model or a key has no endpoint.
 */
export const answersOf = (
  { model, baseUrl }: { readonly model?: string | undefined; readonly baseUrl?: string | undefined },
  env: NodeJS.ProcessEnv,
): Choice['answers'] => {
  const url = baseUrl ?? (env['OPENAI_BASE_URL'] || undefined);
  const offline = model === OFFLINE_MODEL || (model === undefined && env['EVOLVE_MODEL'] === OFFLINE_MODEL);
  if (offline) return { kind: 'offline' };
  if (url !== undefined)
    return model === undefined
      ? { kind: 'published', baseUrl: tidyUrl(url) }
      : { kind: 'one', name: model, baseUrl: tidyUrl(url) };
  if (model !== undefined || env['OPENAI_API_KEY'])
    throw new UsageError(
      `${model === undefined ? 'OPENAI_API_KEY' : `--model ${model}`}: expected the URL of an endpoint beside it, got none: set OPENAI_BASE_URL or --base-url, or take --model offline`,
    );
  return { kind: 'offline' };
};

export type PreparedExperiment = {
  readonly file: ExperimentFile;
  readonly plan: Plan;
  readonly estimate: Estimate;
  /** By case. */
  readonly directions: ReadonlyMap<string, Direction>;
};

/** The line at which a case names its task or a choice of it, else that of its settings. */
const placesOf =
  ({ experiment, where }: ExperimentFile, of: Case) =>
  (key: string): string =>
    where(['cases', experiment.cases.indexOf(of), ...(Object.hasOwn(of, key) ? [key] : ['settings'])]);

/**
 * Everything that can be checked without any part running and any endpoint being asked. Throws ConfigError with every
 * problem, each with its place in the file.
 */
export const prepareExperiment = async (
  place: Place,
  file: ExperimentFile,
  choice: Choice,
): Promise<PreparedExperiment> => {
  const { plan, directions, tasks } = await plannedExperiment(file, choice);
  for (const [config, { task, at }] of tasks) checkFit(config, task, at, machineOf(place));
  const estimate = estimateOf(plan.configs, plan.seeds.length, (config) => textsOf(tasks.get(config)!.task));
  return { file, plan, estimate, directions };
};

type Planned = Pick<PreparedExperiment, 'plan' | 'directions'> & {
  readonly tasks: ReadonlyMap<RunConfig, { readonly task: Task; readonly at: (key: string) => string }>;
};

/** The runs of an experiment with their tasks, whatever machine it may run on. Throws ConfigError. */
const plannedExperiment = async (file: ExperimentFile, choice: Choice): Promise<Planned> => {
  const plan = planOf(file, choice);
  const tasks = new Map<RunConfig, { readonly task: Task; readonly at: (key: string) => string }>();
  const directions = new Map<string, Direction>();
  for (const { of, group } of plan.cells) {
    const at = placesOf(file, of);
    const config = group === null ? null : plan.configs[group]!;
    if (config === null ? directions.has(of.id) : tasks.has(config)) continue;
    const choice = config === null ? { ...AS_IT_IS, instance: of.instance ?? null } : taskChoice(config);
    const { task } = await usableTask(of.task, at, choice);
    directions.set(of.id, task.direction);
    if (config !== null) tasks.set(config, { task, at });
  }
  // A case whose runs are those of another case has its task.
  for (const { of, group } of plan.cells)
    if (group !== null && !directions.has(of.id))
      directions.set(of.id, tasks.get(plan.configs[group]!)!.task.direction);
  return { plan, directions, tasks };
};

/** The experiment that a sweep makes; null for any other sweep. */
export const madeBy = ({ spec }: Pick<SweepDocument, 'spec'>): Plan['made'] | null =>
  (spec as { readonly experiment?: Plan['made'] }).experiment ?? null;

/** The experiments whose runs a sweep has: the one that makes them, and those that read them. */
export const experimentsOf = async (
  sweep: Pick<SweepDocument, 'spec'>,
  root: string = EXPERIMENTS,
): Promise<readonly (Pick<Planned, 'plan' | 'directions'> & { readonly file: ExperimentFile })[]> => {
  const made = madeBy(sweep);
  if (made === null) return [];
  const files = listedExperiments(root)
    .filter(({ paper, id, reads }) => paper === made.paper && (reads?.runsOf ?? id) === made.id)
    .map(({ paper, id }) => readExperiment(paper, id, root));
  return Promise.all(files.map(async (file) => ({ file, ...(await plannedExperiment(file, made.choice)) })));
};

/**
 * The cells of the table with what the sweep's runs have come to; without a sweep of the plan's name, the paper's
 * numbers alone.
 */
export const experimentReport = async (
  store: Store | null,
  { file, plan, directions }: Pick<PreparedExperiment, 'file' | 'plan' | 'directions'>,
): Promise<readonly CellReport[]> => {
  const sweep = store === null ? null : await store.readSweep(plan.name);
  const runsOf = async (cell: Cell): Promise<readonly CellRun[]> => {
    if (sweep === null || store === null || cell.group === null) return [];
    const wanted = canonicalJson(plan.groups[cell.group]!);
    // A task that changed since has made groups of its own; the newest counts.
    const group = sweep.groups.findLastIndex((params) => canonicalJson(params) === wanted);
    const runs: CellRun[] = [];
    for (const { run, seed } of sweep.runs.filter((one) => one.group === group && plan.seeds.includes(one.seed))) {
      const document = await store.readRun(run);
      if (document !== null) runs.push(await cellRun(store, document, seed, cell));
    }
    return runs;
  };
  const reports: CellReport[] = [];
  for (const cell of shownCells(file.experiment, plan.cells)) {
    const report = cellReport(cell, await runsOf(cell), directions.get(cell.of.id)!);
    const invented = cell.group !== null && inventsScores(plan.configs[cell.group]!);
    reports.push(invented && report.ours !== null ? { ...report, note: INVENTED } : report);
  }
  return reports;
};

/** At the run's end, or as it stood after a step. */
const cellRun = async (store: Store, document: RunDocument, seed: number, { of, atStep }: Cell): Promise<CellRun> => {
  const { run, config, status, createdAt, endedAt } = document;
  let { best, totals } = document;
  let until = endedAt ?? new Date();
  if (atStep !== null)
    for await (const step of store.eachStep(run)) {
      if (step.step > atStep) break;
      ({ best, totals } = step);
      until = step.at;
    }
  return {
    run,
    seed,
    state: status,
    score:
      best === null || inventsScores(config)
        ? null
        : of.metric === undefined
          ? rankingScore(best, config.evaluation.scoring)
          : await metricOf(store, best.program, of.metric),
    programs: totals.programs,
    tokens: totals.tokens.in + totals.tokens.out,
    costUsd: totals.costUsd,
    hours: (until.getTime() - createdAt.getTime()) / 3_600_000,
  };
};

/** A number that the evaluator reported of a program beside its score; null where it reported none. */
export const metricOf = async (
  store: Pick<Store, 'getPrograms' | 'getEvaluations'>,
  program: ProgramId,
  metric: string,
): Promise<number | null> => {
  const id = (await store.getPrograms([program])).get(program)?.evaluation ?? null;
  const value = id === null ? undefined : (await store.getEvaluations([id])).get(id)?.metrics[metric];
  return typeof value === 'number' ? value : null;
};
