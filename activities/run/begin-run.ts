// The beginning of a run that does not exist yet: its document from settings, which are checked as a command checks
// them, or as a fork of another run.
import { ConfigError } from '../../evolution/config/config-error.ts';
import type { Layer } from '../../evolution/config/problems.ts';
import { didYouMean } from '../../evolution/config/nearest.ts';
import { fitProblem, withBar } from '../../evolution/methods/rules/task-fit.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { Task } from '../../evolution/task/task.ts';
import type { ForkOrder, StoreActivities } from '../interface/run.ts';
import type { RunDocument } from '../store/documents/documents.ts';
import { taskAt } from '../store/documents/lineage.ts';
import type { Store } from '../store/store.ts';
import { keepTask, type TakenTask, taskRef } from '../task/kept-task.ts';
import { type Checked, standingOf } from '../task/task-digest.ts';
import { forkedConfig, requireForkStep } from './fork-config.ts';
import { newRunConfig } from './new-run-config.ts';

export type BeginDeps = {
  readonly store: Store;
  readonly loadTask: (ref: string) => Promise<Task>;
  /** Reads the task that a new run begins with, so that it is kept with the run. When left out, no task is kept. */
  readonly takeTask?: (named: string) => Promise<TakenTask>;
  /** The model of runs that name none. Where there is none, or this is left out, it is the offline model. */
  readonly installationModel?: () => Layer | null;
  readonly checked?: Checked;
};

type Beginning = Parameters<StoreActivities['openRun']>[0];

/** `key` is the name of the start, when it comes again. Throws ConfigError or TaskError, with nothing stored. */
export const beginRun = async (deps: BeginDeps, beginning: Beginning, key: string | null): Promise<RunDocument> => {
  const { run, config, fork } = beginning;
  if (fork !== undefined) return beginFork(deps, { run, fork, key });
  if (config === undefined)
    throw new ConfigError([
      `run ${run} does not exist and no settings were given: start it with {"run": "${run}", "config": {...}}`,
    ]);
  const { store, takeTask, installationModel = () => null } = deps;
  const settings = newRunConfig(config, installationModel());
  const taskSnapshot = beginning.taskSnapshot ?? (takeTask && (await keepTask(store, await takeTask(settings.task))));
  const task = await fittingTask(deps, settings, taskSnapshot);
  const { run: document } = await store.createRun({
    run,
    config: withBar(settings, task),
    ...standingOf(task, deps.checked),
    taskSnapshot,
    offlineModel: settings.model.kind === 'offline',
    createdAt: new Date(),
    start: key,
  });
  return document;
};

type Forking = { readonly run: string; readonly fork: ForkOrder; readonly key: string | null };

const beginFork = async (deps: BeginDeps, { run, fork, key }: Forking): Promise<RunDocument> => {
  const { store } = deps;
  const { from, atStep, patch = {} } = fork;
  const parent = await store.readRun(from);
  if (parent === null) {
    const ids = (await store.listRuns()).map((one) => one.run);
    throw new ConfigError([`fork: from: there is no run "${from}".${didYouMean(from, ids)}`]);
  }
  requireForkStep(parent, atStep, 'fork: atStep');
  const config = forkedConfig(parent, atStep, [
    { settings: patch, where: (path) => ['fork: patch', ...path].join('.') },
  ]);
  const task = await fittingTask(deps, config, (taskAt(parent, atStep) ?? parent).taskSnapshot);
  return (
    await store.createFork({
      run,
      from,
      step: atStep,
      config: withBar(config, task),
      createdAt: new Date(),
      start: key,
    })
  ).run;
};

/** Refuses a fork whose run exists and was not made by this start. */
export const requireUnforked = ({ run, status }: RunDocument): void => {
  throw new ConfigError([
    `fork: there is a run "${run}" already (${status}): choose another id for the new run, or go on with {"run": "${run}"}`,
  ]);
};

const fittingTask = async (
  { loadTask }: BeginDeps,
  config: RunConfig,
  taskSnapshot: string | undefined,
): Promise<Task> => {
  const ref = taskRef({ config, ...(taskSnapshot === undefined ? {} : { taskSnapshot }) });
  const task = await loadTask(ref);
  const unfit = fitProblem(config, task);
  if (unfit) throw new ConfigError([`${unfit.key}: ${unfit.message}`]);
  return task;
};
