// Evaluators by task: one sandbox for all, a scorer and a gate for each task, made when first needed and again after a failure.
import { ApplicationFailure } from '@temporalio/activity';
import type { EvaluateDeps, EvaluateProgram } from '../activities/evaluate.ts';
import { createDockerSandbox } from '../activities/sandbox/docker-sandbox.ts';
import { createEvaluator, createNoopEvaluator } from '../activities/sandbox/evaluate.ts';
import { createDockerGate } from '../activities/sandbox/gate.ts';
import { createDockerScorer } from '../activities/sandbox/scorer.ts';
import type { RunConfig } from '../evolution/config/run-config.ts';
import type { sandboxEnvironment } from './environment.ts';
import { createTaskCache } from './task-cache.ts';

type Made = { readonly evaluate: EvaluateProgram; readonly isolation: string; readonly close: () => Promise<void> };
export type Evaluators = { readonly evaluatorFor: EvaluateDeps['evaluatorFor']; readonly close: () => Promise<void> };

export const createEvaluators = (environment: ReturnType<typeof sandboxEnvironment>): Evaluators => {
  const loadTask = createTaskCache();
  const sandbox = once(() => createDockerSandbox({ ...engineOf(environment), concurrency: environment.concurrency }));
  const made = new Map<string, Promise<Made>>();

  const make = async (config: RunConfig, evaluatorDigest: string): Promise<Made> => {
    if (config.evaluation.sandbox === 'noop') {
      const noop = createNoopEvaluator();
      return { evaluate: (job, signal) => noop.evaluate({ ...job, scoring: config.evaluation.scoring }, signal), isolation: 'fake', close: async () => undefined };
    }
    const task = await loadTask(config.task);
    if (task.evaluatorDigest !== evaluatorDigest) {
      throw ApplicationFailure.nonRetryable(`the evaluator of ${task.id} has changed since the run began: restore tasks/${task.id}, or start a new run`, 'TaskChanged');
    }
    const engine = engineOf(environment);
    const parts = { sandbox: await sandbox.get(), scorer: createDockerScorer({ ...engine, task }), gate: createDockerGate(engine), task };
    const evaluator = createEvaluator(parts);
    return {
      evaluate: (job, signal) => evaluator.evaluate({ ...job, scoring: config.evaluation.scoring }, signal),
      isolation: parts.sandbox.level, close: async () => { await parts.scorer.close(); await parts.gate.close(); },
    };
  };

  return {
    async evaluatorFor(config, evaluatorDigest) {
      const key = `${config.evaluation.sandbox} ${config.task} ${evaluatorDigest} ${config.evaluation.scoring}`;
      const known = made.get(key);
      if (known) return known;
      const fresh = make(config, evaluatorDigest);
      made.set(key, fresh);
      fresh.catch(() => made.delete(key));
      return fresh;
    },
    async close() {
      for (const one of await Promise.allSettled(made.values())) if (one.status === 'fulfilled') await one.value.close();
      await sandbox.close();
    },
  };
};

const engineOf = ({ dockerHost, image, home }: ReturnType<typeof sandboxEnvironment>) => {
  if (image === null) throw new Error('expected EVOLVE_IMAGE (the evaluator image) in the sandbox worker\'s environment; `evolve up` sets it');
  return {
    ...(dockerHost === undefined ? {} : { dockerHost }), image, home, log: (line: string) => console.log(line),
  };
};

/** A value made when first asked for; a failed attempt is forgotten. */
const once = <T extends { close(): Promise<void> }>(make: () => Promise<T> | T) => {
  let value: Promise<T> | null = null;
  return {
    get: (): Promise<T> => {
      value ??= Promise.resolve().then(make).catch((error: unknown) => { value = null; throw error; });
      return value;
    },
    close: async (): Promise<void> => { const made = value; if (made) await made.then((it) => it.close()).catch(() => undefined); },
  };
};
