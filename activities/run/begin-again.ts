// Step 0 done again, while a run has no valid program: its task is taken anew from where the settings name it, so that
// what was wrong with it can be mended. Once there is a valid program the run keeps its task, because scores must stay
// comparable.
import { existsSync } from 'node:fs';
import { ApplicationFailure } from '@temporalio/activity';
import { ConfigError } from '../../evolution/config/config-error.ts';
import { NO_VALID_START } from '../../evolution/first-step.ts';
import { fitProblem } from '../../evolution/methods/rules/task-fit.ts';
import type { Task } from '../../evolution/task/task.ts';
import type { RunDocument, TaskOfRun } from '../store/documents/documents.ts';
import type { Store } from '../store/store.ts';
import { keepTask, type TakenTask, taskRef } from '../task/kept-task.ts';
import { taskDigest } from '../task/task-digest.ts';
import { TaskError } from '../task/task-files.ts';

export type BeginAgainDeps = {
  readonly store: Store;
  readonly loadTask: (ref: string) => Promise<Task>;
  readonly takeTask?: (named: string) => Promise<TakenTask>;
};

/**
 * Everything is asked and evaluated afresh from step 0 on; once for a `by`. Fails with type NoValidStart, with nothing
 * changed, where the task as it is now cannot be used.
 */
export const beginAgain = async (deps: BeginAgainDeps, document: RunDocument, by: string): Promise<void> => {
  await deps.store.resample(document.run, 0, by, await mendedTask(deps, document));
};

/** Undefined where the task is as it was, or where its folder is not on this machine. */
const mendedTask = async (
  { store, loadTask, takeTask }: BeginAgainDeps,
  document: RunDocument,
): Promise<TaskOfRun | undefined> => {
  const { config } = document;
  if (takeTask === undefined || (config.task.includes('/') && !existsSync(config.task))) return undefined;
  try {
    const taken = await takeTask(config.task);
    if (taken.digest === document.taskSnapshot) return undefined;
    const taskSnapshot = await keepTask(store, taken);
    const task = await loadTask(taskRef({ config, taskSnapshot }));
    const before = await loadTask(taskRef(document));
    if (task.direction !== before.direction)
      throw new TaskError(
        `expected direction: ${before.direction} in task.yaml, as when the run began, got ${task.direction}: start a new run for it`,
      );
    const unfit = fitProblem(config, task);
    if (unfit) throw new TaskError(`${unfit.key}: ${unfit.message}`);
    return { taskSnapshot, taskDigest: taskDigest(task), evaluatorDigest: task.evaluatorDigest };
  } catch (error) {
    throw error instanceof TaskError || error instanceof ConfigError
      ? ApplicationFailure.nonRetryable(`the task was read again, and cannot be used: ${error.message}`, NO_VALID_START)
      : error;
  }
};
