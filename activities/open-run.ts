// Activities `openRun`, `changeLimits` and `markRun`: the life of a run's document.
import { ApplicationFailure } from '@temporalio/activity';
import type { Limits, RunConfig } from '../evolution/config/run-config.ts';
import type { Task } from '../evolution/task.ts';
import type { RunBrief, StoreActivities } from './interface.ts';
import type { RunDocument, RunStatus } from './store/documents.ts';
import type { Store } from './store/store.ts';

export type OpenRunDeps = { readonly store: Store; readonly loadTask: (id: string) => Promise<Task>; readonly checkConfig: (config: unknown) => RunConfig };

export const createRunActivities = ({ store, loadTask, checkConfig }: OpenRunDeps): Pick<StoreActivities, 'openRun' | 'changeLimits' | 'markRun'> => ({
  async openRun({ run, config }) {
    const known = await store.readRun(run);
    if (!known && config === undefined) throw configError(`run ${run} does not exist and no settings were given: start it with {"run": "${run}", "config": {...}}`);
    const settings = known?.config ?? checked(() => checkConfig(config));
    const task = await loadTask(settings.task);
    const document = known ?? (await store.createRun({
      run, config: settings, taskDigest: task.evaluatorDigest, evaluatorDigest: task.evaluatorDigest,
      offlineModel: settings.model.kind === 'offline', createdAt: new Date(),
    })).run;
    if (task.evaluatorDigest !== document.evaluatorDigest) {
      throw ApplicationFailure.nonRetryable(
        `the evaluator of ${task.id} has changed since run ${run} began: scores would not be comparable. Restore tasks/${task.id}, or start a new run`, 'TaskChanged');
    }
    await store.setStatus(run, 'running', { reason: null, stopReason: null, endedAt: null });
    return brief(document, task);
  },

  async changeLimits({ run, limits }) {
    for (;;) {
      const document = await store.readRun(run);
      if (!document) throw configError(`run ${run} does not exist`);
      const next: Limits = { ...document.config.limits, ...limits };
      if (JSON.stringify(next) === JSON.stringify(document.config.limits)) return next;
      await store.setConfig(run, { ...document.config, limits: next }, document.configVersion);
    }
  },

  async markRun({ run, status, reason, stopReason }) {
    const ended = status === 'finished' || status === 'stopped';
    await store.setStatus(run, status satisfies RunStatus, { reason: reason ?? null, stopReason: stopReason ?? null, endedAt: ended ? new Date() : null });
  },
});

const configError = (message: string): ApplicationFailure => ApplicationFailure.nonRetryable(message, 'ConfigError');

const checked = <T>(check: () => T): T => {
  try { return check(); } catch (error) { throw configError(error instanceof Error ? error.message : String(error)); }
};

const brief = (document: RunDocument, task: Task): RunBrief => {
  const { config } = document;
  return {
    run: document.run, task: config.task, method: config.method, direction: task.direction, model: config.model.name, seed: config.seed,
    batch: config.batch, responses: config.responses, limits: config.limits, committedStep: document.committedStep,
    totals: document.totals, best: document.best, createdAtMs: document.createdAt.getTime(),
  };
};
