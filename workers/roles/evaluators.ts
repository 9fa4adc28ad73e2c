// Evaluators by task: one sandbox for all, and a scorer and a gate for each task, made when they are first needed and
// again after a failure.
import { setTimeout as sleep } from 'node:timers/promises';
import { createEvaluator, createNoopEvaluator, type Evaluator } from '../../activities/sandbox/host/evaluator.ts';
import { Cores } from '../../activities/sandbox/host/cores.ts';
import { hiddenDraws } from '../../activities/sandbox/host/hidden-draws.ts';
import { quarantining } from '../../activities/sandbox/host/quarantine.ts';
import { createStaged } from '../../activities/sandbox/stages/staged.ts';
import type { EvaluateDeps, EvaluateProgram } from '../../activities/step/evaluate/evaluate.ts';
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import { taskRef } from '../../activities/task/kept-task.ts';
import { autoLevel, withRuntime } from '../../evolution/config/levels.ts';
import { levelName } from '../../evolution/methods/rules/task-fit.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { Evaluation } from '../../evolution/scoring/evaluation.ts';
import type { Task } from '../../evolution/task/task.ts';
import type { IsolationEnvironment } from '../process/environment.ts';
import { buildsOf, createIsolations, remembered } from './isolation.ts';
import { createTaskCache } from '../process/task-cache.ts';
import { isNoopAllowed, noopMs } from '../../evolution/config/noop.ts';

type TaskOfRun = Pick<RunDocument, 'taskSnapshot'>;
type Made = { readonly evaluate: EvaluateProgram; readonly isolation: string; readonly close: () => Promise<void> };
export type Evaluators = {
  readonly evaluatorFor: EvaluateDeps['evaluatorFor'];
  /** The number of GPUs that work. Throws InfrastructureError where the host should have some and none does. */
  readonly gpusThatWork: () => Promise<number>;
  readonly close: () => Promise<void>;
};

/** The settings on which an evaluator depends. */
type Judging = Pick<RunConfig, 'task' | 'instance' | 'initial' | 'method' | 'evaluation'> & {
  readonly prompt: Pick<RunConfig['prompt'], 'parts'>;
};

export const createEvaluators = (
  environment: IsolationEnvironment,
  store: Parameters<typeof createTaskCache>[0],
  secret: string,
  cores: Cores = new Cores({ cores: environment.concurrency }),
): Evaluators => {
  const loadTask = createTaskCache(store);
  const held = holding(cores);
  const isolation = createIsolations({ ...environment, shared: cores });
  const evaluators = remembered(async (key: string): Promise<Made> => {
    const { config, of } = JSON.parse(key) as { config: Judging; of: TaskOfRun };
    return config.evaluation.sandbox === 'noop' ? noop(config, held) : forTask(config, of);
  });

  const forTask = async (config: Judging, kept: TaskOfRun): Promise<Made> => {
    const task = await loadTask(taskRef({ config, ...kept }));
    const { runtime } = config.evaluation;
    const level = withRuntime(levelName(config.evaluation, task, environment.sandbox), runtime);
    const { sandbox, scorerFor, gate } = await isolation.get(level, task);
    const parts = { sandbox, gate, hidden: hiddenDraws(secret), builds: buildsOf(environment.home) };
    const around = (one: Evaluator): Evaluator => quarantining(one, task);
    const { evaluator, scorer, close } = createStaged({ ...parts, task, scorerFor, around });
    const holdout = createEvaluator({ ...parts, scorer, task: await forHidden(task, { config, ...kept }) });
    return {
      evaluate: (job, signal): Promise<Evaluation> =>
        (job.holdout ? holdout : evaluator).evaluate({ ...job, scoring: config.evaluation.scoring }, signal),
      get isolation() {
        return sandbox.level;
      },
      close,
    };
  };

  /** Hidden instances are more work than the public ones, so a run's lower limit on CPU time does not hold for them. */
  const forHidden = async (task: Task, of: Parameters<typeof taskRef>[0]): Promise<Task> => {
    const { evaluation } = of.config;
    const { limits } = await loadTask(
      taskRef({ ...of, config: { ...of.config, evaluation: { ...evaluation, cpuSeconds: null } } }),
    );
    return limits.cpuSeconds <= task.limits.cpuSeconds ? task : { ...task, limits };
  };

  return {
    evaluatorFor: ({ task, instance, initial, method, evaluation, prompt: { parts } }, { taskSnapshot }) => {
      const config: Judging = { task, instance, initial, method, evaluation, prompt: { parts } };
      return evaluators.get(JSON.stringify({ config, of: { taskSnapshot } }));
    },
    async gpusThatWork() {
      // A bench evaluates nothing and looks at nothing.
      if (environment.gpus === 0 || environment.sandbox === 'none') return environment.gpus;
      const wants = { gpu: true, timed: false, runtime: 'engine' } as const;
      const { sandbox } = await isolation.get(autoLevel(environment.sandbox, wants), null);
      return (await sandbox.checkGpus?.())?.length ?? 0;
    },
    async close() {
      await evaluators.each((one) => one.close());
      await isolation.each((one) => one.close());
    },
  };
};

/** Simulated evaluations take a core for their time, as many at once as programs run. */
const holding =
  (cores: Cores): ((signal: AbortSignal) => Promise<number>) =>
  async (signal) => {
    if (noopMs() === 0) return 0;
    await cores.given({ cores: 1, memoryBytes: 0 }, signal, async () => {
      await sleep(noopMs(), undefined, { signal });
      return { peakBytes: null };
    });
    return noopMs();
  };

const noop = ({ evaluation }: Judging, hold: (signal: AbortSignal) => Promise<number>): Made => {
  if (!isNoopAllowed())
    throw new Error(
      'expected a run whose programs are evaluated, got one that a bench made (evaluation.sandbox: noop): the workers go on with it where `evolve up` was started with EVOLVE_ALLOW_NOOP=1',
    );
  const evaluator = createNoopEvaluator(hold);
  return {
    evaluate: (job, signal) => evaluator.evaluate({ ...job, scoring: evaluation.scoring }, signal),
    isolation: 'fake',
    close: async () => undefined,
  };
};
