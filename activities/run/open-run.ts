// The activities `openRun`, `changeSettings`, `injectProgram`, `resample` and `markRun`: how a run's document begins,
// changes and ends.
import { ApplicationFailure } from '@temporalio/activity';
import type { Paid } from '../../evolution/budget/money.ts';
import { ConfigError } from '../../evolution/config/config-error.ts';
import { inventsScores } from '../../evolution/config/noop.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { fitProblem } from '../../evolution/methods/task-fit.ts';
import { modelPool } from '../../evolution/models/ensemble.ts';
import { hasHoldout, hiddenDirection } from '../../evolution/scoring/evaluation.ts';
import type { Task } from '../../evolution/task.ts';
import type { Direction } from '../../evolution/types.ts';
import type { RunBrief, SettingsBrief, StoreActivities } from '../interface/run.ts';
import type { Unanswered } from '../store/step-documents.ts';
import { hasEnded } from '../../evolution/run-states.ts';
import type { RunDocument } from '../store/documents.ts';
import { paidSoFar } from '../store/paid.ts';
import type { Store } from '../store/store.ts';
import { keepTask, type TakenTask, taskRef } from '../task/kept-task.ts';
import { TaskError } from '../task/task-files.ts';
import { taskDigest } from '../task/task-digest.ts';
import { changeSettings, injectProgram } from './steering.ts';
import { humanGoal, missing } from './step-summary.ts';
import { resolveConfig } from '../../evolution/methods/resolve.ts';

type OpenRunDeps = {
  readonly store: Store;
  readonly loadTask: (ref: string) => Promise<Task>;
  /** Reads the task that a new run begins with, so that it is kept with the run. When left out, no task is kept. */
  readonly takeTask?: (named: string) => Promise<TakenTask>;
};
type RunActivities = Pick<StoreActivities, 'openRun' | 'changeSettings' | 'injectProgram' | 'resample' | 'markRun'>;

export const createRunActivities = ({ store, loadTask, takeTask }: OpenRunDeps): RunActivities => ({
  async openRun({ run, owner, config, taskSnapshot: given, rewind, paused }) {
    const known = await store.readRun(run);
    if (!known && config === undefined)
      throw configError(
        `run ${run} does not exist and no settings were given: start it with {"run": "${run}", "config": {...}}`,
      );
    const settings = known?.config ?? checkedConfig(config);
    const taskSnapshot = known
      ? known.taskSnapshot
      : (given ?? (takeTask && (await keepTask(store, await endingOn(() => takeTask(settings.task))))));
    const ref = taskRef({ config: settings, ...(taskSnapshot === undefined ? {} : { taskSnapshot }) });
    const task = await (known ? loadTask(ref) : endingOn(() => loadTask(ref)));
    const unfit = known ? null : fitProblem(settings, task);
    if (unfit) throw configError(`${unfit.key}: ${unfit.message}`);
    const document =
      known ??
      (
        await store.createRun({
          run,
          config: settings,
          taskDigest: taskDigest(task),
          evaluatorDigest: task.evaluatorDigest,
          taskSnapshot,
          offlineModel: settings.model.kind === 'offline',
          createdAt: new Date(),
        })
      ).run;
    if (document.taskSnapshot === undefined && task.evaluatorDigest !== document.evaluatorDigest) {
      const reason = `the evaluator of ${task.id} has changed since run ${run} began: scores would not be comparable. Restore tasks/${task.id}, or start a new run`;
      await store.setStatus(run, 'needs attention', { reason, parked: null, stopReason: null, endedAt: null });
      throw ApplicationFailure.nonRetryable(reason, 'TaskChanged');
    }
    if (rewind) await goBack(store, document, rewind, owner);
    await store.setStatus(run, paused === true ? 'pausing' : 'running', {
      reason: null,
      parked: null,
      stopReason: null,
      endedAt: null,
    });
    return brief(rewind ? await required(store, run) : document, task, await store.unanswered(run));
  },

  async changeSettings({ run, change, by }) {
    const { version, changed } = await refusing(() => changeSettings({ store, loadTask }, run, change, by));
    const document = await required(store, run);
    const { beatsHuman = false } = humanGoal(document.best, document.config, await loadTask(taskRef(document)));
    return { version, changed, settings: { ...settingsBrief(document), beatsHuman } };
  },

  injectProgram: ({ run, island, program }) => refusing(() => injectProgram({ store, loadTask }, run, island, program)),

  async resample({ run, step, by }): Promise<Paid> {
    const document = await required(store, run);
    // The step was committed while the command was on its way, so there is nothing to ask again for.
    if (document.committedStep < step) await store.resample(run, step, by);
    return paidSoFar(await required(store, run), await store.unanswered(run));
  },

  async markRun({ run, status, reason, parked, stopReason }) {
    const ended = hasEnded({ status });
    // A run that was stopped before it was first opened has no document to mark.
    if (ended && (await store.readRun(run)) === null) return;
    await store.setStatus(run, status, {
      reason: reason ?? null,
      parked: parked ?? null,
      stopReason: stopReason ?? null,
      endedAt: ended ? new Date() : null,
    });
  },
});

/**
 * Opening a committed step rewinds it and all later ones. A retry of this activity finds the step opened by the same
 * owner.
 */
const goBack = async (
  store: Store,
  document: RunDocument,
  { toStep, resample, by }: { readonly toStep: number; readonly resample: boolean; readonly by?: string | undefined },
  owner: string,
): Promise<void> => {
  const { run, openings, committedStep } = document;
  const done = openings?.step === toStep && openings.owner === owner;
  if (!done && (toStep < 1 || toStep > committedStep)) {
    throw ApplicationFailure.nonRetryable(
      `rewind: toStep: expected 1 to ${committedStep}, the last committed step of run ${run}, got ${toStep}`,
      'BadRequest',
    );
  }
  await store.openStep(run, toStep, owner);
  if (resample) await store.resample(run, toStep, by === undefined ? `${owner}:rewind` : `update:${by}`);
};

const required = async (store: Store, run: string): Promise<RunDocument> => {
  const document = await store.readRun(run);
  if (!document) throw missing(`run ${run}`);
  return document;
};

/**
 * What is wrong with the task of a run that does not exist yet ends its workflow, as a command would have refused it:
 * nobody would find a run that waits and has no document.
 */
const endingOn = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ConfigError || error instanceof TaskError ? configError(error.message) : error;
  }
};

const configError = (message: string): ApplicationFailure => ApplicationFailure.nonRetryable(message, 'ConfigError');

/**
 * Settings come from the client or were typed in the Temporal UI, so they are checked as a file is, and missing keys
 * are filled in.
 */
const checkedConfig = (config: unknown): RunConfig => {
  try {
    return resolveConfig([{ settings: config, where: () => 'config' }]).config;
  } catch (error) {
    throw configError(error instanceof Error ? error.message : String(error));
  }
};

/** Turns a ConfigError into a failure that is not retried, because the same request would fail again. */
const refusing = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ConfigError ? ApplicationFailure.nonRetryable(error.message, 'BadRequest') : error;
  }
};

const settingsBrief = ({ config, configVersion }: RunDocument): SettingsBrief => ({
  configVersion,
  model: modelPool(config)
    .map(({ name }) => name)
    .join(', '),
  batch: config.batch,
  responses: config.responses,
  // A target that an invented score reaches says nothing.
  limits: inventsScores(config) ? { ...config.limits, targetScore: null } : config.limits,
});

const inDirection = (direction: Direction | null): Pick<RunBrief, 'hiddenDirection'> =>
  direction === null ? {} : { hiddenDirection: direction };

const brief = (document: RunDocument, task: Task, unanswered: Unanswered): RunBrief => {
  const { config } = document;
  return {
    ...settingsBrief(document),
    run: document.run,
    task: task.id,
    method: config.method,
    direction: task.direction,
    ...(config.evaluation.scoring === 'strict' ? { scoring: 'strict' as const } : {}),
    seed: config.seed,
    sweep: document.sweep,
    committedStep: document.committedStep,
    totals: document.totals,
    paid: paidSoFar(document, unanswered),
    best: document.best,
    ...humanGoal(document.best, config, task),
    exactPrograms: true,
    ...(hasHoldout(task) ? { holdout: true as const, ...inDirection(hiddenDirection(task)) } : {}),
    createdAtMs: document.createdAt.getTime(),
  };
};
