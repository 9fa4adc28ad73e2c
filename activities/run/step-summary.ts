// The summary of a committed step that goes back to the workflow, the run's goal, and the errors of runs' activities.
import { ApplicationFailure } from '@temporalio/activity';
import { ConfigError } from '../../evolution/config/config-error.ts';
import { inventsScores } from '../../evolution/config/noop.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { modelNames } from '../../evolution/models/ensemble.ts';
import { beatsHuman } from '../../evolution/scoring/human-best.ts';
import { rankingScore } from '../../evolution/scoring/ranking.ts';
import { DEFAULT_WEIGHT } from '../../evolution/schedule/sharing.ts';
import type { Task } from '../../evolution/task/task.ts';
import type { RunId } from '../../evolution/types.ts';
import type { SettingsBrief, StepSummary } from '../interface/step.ts';
import type { BestProgram, RunDocument, UnansweredSum } from '../store/documents/documents.ts';
import { paidSoFar } from '../store/steps/paid.ts';
import type { Store } from '../store/store.ts';
import { TaskError } from '../task/task-files.ts';
import { learningBrief } from './learning-brief.ts';

export const missing = (what: string): ApplicationFailure =>
  ApplicationFailure.create({ message: `expected ${what} in the store, found none`, type: 'Missing' });

/** The parts of the process that activities of a step use. */
export type StepDeps = { readonly store: Store; readonly loadTask: (id: string) => Promise<Task> };

export const requiredRun = async (store: Pick<Store, 'readRun'>, run: RunId): Promise<RunDocument> => {
  const document = await store.readRun(run);
  if (document === null) throw missing(`run ${run}`);
  return document;
};

/**
 * Turns a ConfigError into a failure that is not retried. With `ConfigError`, by which a new run or sweep is refused,
 * so is a task that cannot be used: nobody would find a run that waits and has no document.
 */
export const refusing = async <T>(type: 'ConfigError' | 'BadRequest', work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ConfigError || (type === 'ConfigError' && error instanceof TaskError)
      ? ApplicationFailure.nonRetryable(error.message, type)
      : error;
  }
};

export const settingsBrief = async (store: Store, document: RunDocument): Promise<SettingsBrief> => {
  const { config, configVersion } = document;
  const learning = await learningBrief(store, document);
  return {
    configVersion,
    model: modelNames(config),
    batch: config.batch,
    responses: config.responses,
    // A target that an invented score reaches says nothing.
    limits: inventsScores(config) ? { ...config.limits, targetScore: null } : config.limits,
    stream: config.schedule === 'continuous',
    ...(config.run.weight === DEFAULT_WEIGHT ? {} : { weight: config.run.weight }),
    ...(learning === null ? {} : { learning }),
  };
};

export const summarise = async (
  store: Store,
  document: RunDocument,
  step: number,
  evaluationMs: number | null,
  /** The requests without an answer, where they were just read. */
  owed?: UnansweredSum,
): Promise<StepSummary> => {
  const { totals, best, population, generation } = document;
  const paid = paidSoFar(document, owed ?? (await store.owed(document.run)));
  const at = await store.committedAt(document, step);
  return {
    step,
    generation,
    totals,
    best,
    paid,
    populationSize: population.size,
    evaluationMs,
    ...(at === null ? {} : { committedAtMs: at.getTime() }),
    ...(document.configVersion > 1 ? { settings: await settingsBrief(store, document) } : {}),
  };
};

/** Summary of a step that an earlier attempt committed. */
export const summaryOf = async (
  store: Store,
  document: RunDocument,
  step: number,
  generation: number,
): Promise<StepSummary> => {
  const committed = await store.readStep(document.run, step, generation);
  if (!committed) throw missing(`the commit of step ${step}, generation ${generation}, of run ${document.run}`);
  return summarise(
    store,
    { ...document, totals: committed.totals, best: committed.best, population: committed.population },
    step,
    null,
  );
};

/** Name of the reference that stands for the best by human hands, where no reference says `human: true`. */
const HUMAN = 'human';

/**
 * The goal of a run that stops where it has passed the best by human hands (AlphaResearch 2.1), by the score that ranks.
 * Empty in other runs, and where the task names no such reference.
 */
export const humanGoal = (
  best: BestProgram | null,
  config: Pick<RunConfig, 'ideation' | 'evaluation'>,
  { references, direction }: Task,
): { readonly beatsHuman?: true } => {
  const human =
    references.find(({ human: marked }) => marked === true) ?? references.find(({ name }) => name === HUMAN);
  if (!config.ideation.stopAtHuman || human === undefined || best === null || inventsScores(config)) return {};
  return beatsHuman(rankingScore(best, config.evaluation.scoring), { human: human.value, direction })
    ? { beatsHuman: true }
    : {};
};
