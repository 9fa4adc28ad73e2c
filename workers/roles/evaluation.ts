// The role `evaluation`: candidates are run and scored. It alone has the Docker socket, and it has no model key.
import { Worker } from '@temporalio/worker';
import { createEvaluate, createEvaluateHidden } from '../../activities/step/evaluate.ts';
import { QUEUES } from '../../workflows/engine/queues.ts';
import type { Context, Role } from '../context.ts';
import type { SandboxEnvironment } from '../environment.ts';
import { createEvaluators } from '../evaluators.ts';

export const evaluationRole = async ({ store, shared }: Context, environment: SandboxEnvironment): Promise<Role> => {
  const { evaluatorFor, close } = createEvaluators(environment, store);
  const worker = await Worker.create({
    ...shared,
    taskQueue: QUEUES.eval,
    // Twice as many as run at once: the next batch is read, and results are written, while the containers are busy.
    maxConcurrentActivityTaskExecutions: 2 * environment.concurrency,
    activities: { ...createEvaluate({ store, evaluatorFor }), ...createEvaluateHidden({ store, evaluatorFor }) },
  });
  return { workers: [worker], close };
};
