// The role `evaluation`: candidates are run and scored. It alone has the Docker socket, and it has no model key. A host
// takes the programs of tasks that need nothing in particular, and those that need what it has.
import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { totalmem } from 'node:os';
import { createEvaluate, createEvaluateHidden } from '../../activities/step/evaluate.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import { EVALUATION_QUEUE, serves } from '../../evolution/needs.ts';
import type { Context, Role } from '../context.ts';
import { drawSecret } from '../draw-secret.ts';
import type { SandboxEnvironment } from '../environment.ts';
import { createEvaluators } from '../evaluators.ts';

/** So often a host looks whether runs wait on a queue that it could serve and does not poll yet. */
const LOOK_MS = 5_000;

export const evaluationRole = async (context: Context, environment: SandboxEnvironment): Promise<Role> => {
  const { store, shared } = context;
  const { cores, labels, concurrency, dedicated, home } = environment;
  const { evaluatorFor, close } = createEvaluators(environment, store, await drawSecret(store, home));
  // Programs are given no GPUs yet, so no host offers any.
  const gpus = 0;
  const offer = { gpus, labels, memoryBytes: totalmem() };
  const activities = { ...createEvaluate({ store, evaluatorFor }), ...createEvaluateHidden({ store, evaluatorFor }) };
  const known = new Set<string>();
  const workerFor = (taskQueue: string): Promise<Worker> =>
    Worker.create({
      ...shared,
      taskQueue,
      // Twice as many as run at once: the next batch is read, and results are written, while the containers are busy.
      maxConcurrentActivityTaskExecutions: 2 * concurrency,
      activities,
    });
  const further = async (): Promise<readonly Worker[]> => {
    const queues = [...(dedicated ? [] : [EVALUATION_QUEUE]), ...(await store.neededQueues())].filter(
      (queue) => !known.has(queue) && serves(offer, queue),
    );
    for (const queue of queues) known.add(queue);
    return Promise.all(queues.map(workerFor));
  };
  const first = await further();
  let timer: NodeJS.Timeout | undefined;
  return {
    about: { role: 'evaluation', slots: concurrency, cores, gpus, labels },
    workers: first,
    started(add) {
      const served = (workers: readonly Worker[]): Promise<void> =>
        wakeRuns(context, new Set(workers.map(({ options }) => options.taskQueue)));
      const look = async (): Promise<void> => {
        const workers = await further();
        for (const worker of workers) add(worker);
        await served(workers);
      };
      void served(first).catch(() => undefined);
      // A database that does not answer is asked again.
      timer = setInterval(() => void look().catch(() => undefined), LOOK_MS);
    },
    async close() {
      clearInterval(timer);
      await close();
    },
  };
};

/** Runs that wait for such a host try again at once, and not when their slow retry comes. */
const wakeRuns = async ({ engine, store, payloads }: Context, queues: ReadonlySet<string>): Promise<void> => {
  const waiting = (await store.listRuns()).filter(
    ({ status, queue }) => status === 'needs attention' && queue !== undefined && queues.has(queue),
  );
  const client = new Client({
    connection: engine.connection,
    namespace: engine.namespace,
    dataConverter: payloads.ofClient,
  });
  for (const { run } of waiting)
    // A run that has just ended needs nothing.
    await client.workflow
      .getHandle(runWorkflowId(run))
      .signal('retry', {})
      .catch(() => undefined);
};
