// The role `evaluation`: candidates are run and scored. It alone has the Docker socket, and it has no model key. A host
// takes the programs of tasks that need nothing in particular, and those that need what it has.
import { ApplicationFailure, Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { Cores } from '../../activities/sandbox/host/cores.ts';
import type { AskModel } from '../../activities/step/evaluate/evaluator-model.ts';
import { internal } from '../../workflows/engine/form.ts';
import type { evaluatorCall } from '../../workflows/step/evaluator-call.ts';
import { createEvaluate, createEvaluateHidden } from '../../activities/step/evaluate/evaluate.ts';
import { answeredId, callWorkflowId, programId, runWorkflowId, WORKFLOW_QUEUE } from '../../evolution/ids.ts';
import { causesOf } from '../../evolution/root-cause.ts';
import { shareOf } from '../../evolution/schedule/sharing.ts';
import { EVALUATION_QUEUE, needsOf, serves } from '../../evolution/hosts/needs.ts';
import type { Context, Role } from '../process/context.ts';
import { drawSecret } from './draw-secret.ts';
import type { SandboxEnvironment } from '../process/environment.ts';
import { createEvaluators } from './evaluators.ts';
import { slotGauges } from '../telemetry/gauges.ts';
import { bySlots, type EngineMachine, evaluationSlots, PER_CORE } from '../process/tuning.ts';
import { followQueues } from './followed-queues.ts';

/** The time between two looks at the queues that runs need. */
const LOOK_MS = 5_000;

export const evaluationRole = async (
  context: Context,
  environment: SandboxEnvironment,
  { memoryBytes, freeBytes }: EngineMachine,
): Promise<Role> => {
  const { store, shared } = context;
  const { cores, labels, concurrency, dedicated } = environment;
  const sharedCores = new Cores({ cores: concurrency, freeBytes });
  context.telemetry.sampling(slotGauges('cores', sharedCores.all, sharedCores.standing));
  const secret = await drawSecret(store);
  const { evaluatorFor, gpusThatWork, close } = createEvaluators(environment, store, secret, sharedCores);
  const gpus = await gpusThatWork();
  /** Programs that need GPUs wait on their queue and not here, so that other hosts may take them. */
  const mostOn = (queue: string): number => {
    const { gpu = 0 } = needsOf(queue) ?? {};
    return gpu === 0 ? Infinity : 2 * Math.floor(gpus / gpu);
  };
  const slots = evaluationSlots(sharedCores, mostOn);
  const offer = { gpus, labels, memoryBytes };
  const activities = {
    ...createEvaluate({ store, evaluatorFor, askModel: askingThrough(context) }),
    ...createEvaluateHidden({ store, evaluatorFor }),
  };
  const workerFor = (taskQueue: string): Promise<Worker> =>
    Worker.create({
      ...shared,
      ...bySlots(slots, PER_CORE * concurrency),
      taskQueue,
      activities,
    });
  const queues = followQueues({
    always: dedicated ? [] : [EVALUATION_QUEUE],
    needed: async () => (await store.openQueues()).filter((queue) => serves(offer, queue)),
    workerFor,
  });
  const first = (await queues.look()).map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
  let timer: NodeJS.Timeout | undefined;
  return {
    about: { role: 'evaluation', slots: concurrency, cores, gpus, labels, memoryBytes },
    workers: first,
    started(add) {
      const served = (workers: readonly Worker[]): Promise<void> =>
        wakeRuns(context, new Set(workers.map(({ options }) => options.taskQueue)));
      const look = async (): Promise<void> => {
        const workers = (await queues.look()).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
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

/** The model worker has the keys: a workflow asks it, and this process waits for the answer. */
const askingThrough = ({ engine, payloads }: Context): AskModel => {
  const { connection, namespace } = engine;
  const client = new Client({ connection, namespace, dataConverter: payloads.ofClient });
  return async (call, signal) => {
    const { run, step, epoch, slot, stage, round } = call;
    const handle = await client.workflow.start<typeof evaluatorCall>('evaluatorCall', {
      workflowId: callWorkflowId(run, answeredId(programId(run, step, epoch, slot), stage, round)),
      taskQueue: WORKFLOW_QUEUE,
      args: [internal(call)],
      workflowIdConflictPolicy: 'USE_EXISTING',
      priority: shareOf({ run, sweep: null, weight: 1 }),
    });
    const cancel = (): void => void handle.cancel().catch(() => undefined);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      await handle.result();
    } catch (error) {
      signal.throwIfAborted();
      // The words of the activity: a request that nobody answered waits for a person, and is not sent again by itself.
      const said = causesOf(error).find((cause) => cause instanceof ApplicationFailure);
      throw said === undefined ? error : ApplicationFailure.nonRetryable(said.message, said.type);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
};

/** Runs that wait for such a host try again at once, and not when their slow retry comes. */
const wakeRuns = async ({ engine, store, payloads }: Context, queues: ReadonlySet<string>): Promise<void> => {
  if (queues.size === 0) return;
  const waiting = (await store.listRuns()).filter(
    ({ status, queue }) => status === 'needs attention' && queue !== undefined && queues.has(queue),
  );
  const { connection, namespace } = engine;
  const client = new Client({ connection, namespace, dataConverter: payloads.ofClient });
  for (const { run } of waiting)
    // A run that has just ended needs nothing.
    await client.workflow
      .getHandle(runWorkflowId(run))
      .signal('retry', {})
      .catch(() => undefined);
};
