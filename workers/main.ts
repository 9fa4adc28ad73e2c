// The worker for workflows, the store, the model and sweeps: one process with four queues. It has no Docker socket,
// because the sandbox worker is a process of its own. SIGTERM drains it.
import { DefaultLogger, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import { createAsk } from '../activities/llm/chat/ask.ts';
import { createOutages } from '../activities/llm/chat/failover.ts';
import { createCommitPolicy } from '../activities/learning/commit-policy.ts';
import { createPlanUpdate } from '../activities/learning/plan-update.ts';
import { createPlanTraining } from '../activities/learning/training.ts';
import { offlineAnswers } from '../activities/learning/warm-up.ts';
import { createVerifyPolicy } from '../activities/learning/verify-policy.ts';
import { createGenerate } from '../activities/llm/chat/generate.ts';
import { createSilence } from '../activities/llm/chat/silence.ts';
import { createEmbed } from '../activities/llm/embeddings/embed.ts';
import { createKeyRing } from '../activities/llm/transport/key-ring.ts';
import { createResults } from '../activities/results/write-results.ts';
import { createRunActivities } from '../activities/run/open-run.ts';
import { createAdvance } from '../activities/step/advance.ts';
import { createIsland } from '../activities/step/ahead.ts';
import { createApplyResponses } from '../activities/step/apply-responses.ts';
import { createCommitStep } from '../activities/step/commit-step.ts';
import { createInitialIdea } from '../activities/step/initial-idea.ts';
import { createPlanIsland } from '../activities/step/plan-island.ts';
import { createPlanStep } from '../activities/step/plan-step.ts';
import { createSweepActivities } from '../activities/sweep/index.ts';
import { usableTask } from '../activities/task/usable-task.ts';
import { temporalUi } from '../client/connection.ts';
import { runReport } from '../client/report.ts';
import { resolveHome } from '../deploy/host/home.ts';
import { installationModel } from '../deploy/stack/installation-model.ts';
import { environmentLayer } from '../evolution/config/sources.ts';
import { QUEUES } from '../workflows/engine/queues.ts';
import { Caretaker, keptRuns, keptSweeps } from './caretaker.ts';
import { connectEngine, connectStoreFor, registerSearchAttributes } from './connect.ts';
import { createEmbeddingClientFor } from './embedding-clients.ts';
import { mainEnvironment } from './environment.ts';
import { createClientFor } from './model-clients.ts';
import { ownNamespace } from './own-namespace.ts';
import { heartbeating, standingIn, runUntilStopped } from './process.ts';
import { createTaskCache } from './task-cache.ts';
import { allowNoop } from '../evolution/config/noop.ts';

const environment = mainEnvironment(process.env);
allowNoop(process.env);
Runtime.install({ logger: new DefaultLogger('WARN'), shutdownSignals: [] });

const engine = await connectEngine();
const store = await connectStoreFor(environment.mongodbUri);
await ownNamespace(engine, store, environment);
await registerSearchAttributes(engine.connection, engine.namespace);
const loadTask = createTaskCache(store);
const keys = createKeyRing({ home: environment.home, env: process.env });
const clientFor = createClientFor({ ...environment, keys });
/** Read anew each time, because `evolve up` may name another model while this process runs. */
const modelLayer = () => environmentLayer(installationModel(environment.home, process.env));
const outages = createOutages();
const silence = createSilence();
const results = createResults({
  store,
  loadTask,
  directory: environment.runs,
  report: (run) => runReport(run, new Date(), temporalUi({ home: resolveHome(process.env) })),
});
const shared: Pick<WorkerOptions, 'connection' | 'namespace' | 'interceptors' | 'shutdownGraceTime'> = {
  connection: engine.native,
  namespace: engine.namespace,
  interceptors: { activity: [heartbeating] },
  shutdownGraceTime: '5 seconds',
};

const workers = await Promise.all([
  Worker.create({
    ...shared,
    taskQueue: QUEUES.workflow,
    workflowBundle: { codePath: environment.bundle },
    maxConcurrentWorkflowTaskExecutions: 10,
    maxCachedWorkflows: 100,
    stickyQueueScheduleToStartTimeout: '1s',
  }),
  Worker.create({
    ...shared,
    taskQueue: QUEUES.db,
    maxConcurrentActivityTaskExecutions: environment.dbSlots,
    activities: {
      ...createRunActivities({
        store,
        loadTask,
        takeTask: usableTask,
        installationModel: modelLayer,
      }),
      ...results,
      ...createPlanStep({ store, loadTask, takeTask: usableTask }),
      ...createPlanIsland({ store, loadTask }),
      ...createAdvance({ store, loadTask }),
      ...createInitialIdea({ store, loadTask }),
      ...createApplyResponses({ store, loadTask }),
      ...createCommitStep({ store, loadTask }),
      ...createPlanTraining(store, createPlanUpdate({ store, loadTask, answers: offlineAnswers(clientFor) })),
      ...createCommitPolicy({ store, policies: environment.policies }),
    },
  }),
  Worker.create({
    ...shared,
    taskQueue: QUEUES.llm,
    // Half as many again as requests in flight: while some wait for the model, others read prompts and store answers.
    maxConcurrentActivityTaskExecutions: Math.ceil(1.5 * environment.llmSlots),
    activities: {
      ...createGenerate({ store, clientFor, outages, silence }),
      ...createAsk({ store, clientFor, outages, silence }),
      ...createVerifyPolicy({ store, clientFor }),
      ...createEmbed({
        store,
        islandOf: createIsland({ store, loadTask }),
        clientFor: createEmbeddingClientFor({ ...environment, keys }),
        silence,
      }),
    },
  }),
  Worker.create({
    ...shared,
    taskQueue: QUEUES.sweep,
    maxConcurrentActivityTaskExecutions: 50,
    maxConcurrentActivityTaskPolls: 2,
    activities: createSweepActivities({
      store,
      loadTask,
      takeTask: usableTask,
      standing: standingIn(engine),
      installationModel: modelLayer,
    }),
  }),
]);
const caretaker = new Caretaker(engine, [keptRuns(store), keptSweeps(store)]);
const caring = caretaker.run((line) => console.error(line));
await runUntilStopped({
  workers,
  close: async () => {
    caretaker.stop();
    await caring;
    await store.close();
    await engine.connection.close();
    await engine.native.close();
  },
});
