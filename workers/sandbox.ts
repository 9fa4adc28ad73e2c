// The worker for the eval queue: it alone has the Docker socket, and it has no model key. SIGTERM drains it.
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { availableParallelism } from 'node:os';
import { createEvaluate, createEvaluateHidden } from '../activities/step/evaluate.ts';
import { QUEUES } from '../workflows/engine/queues.ts';
import { connectEngine, connectStoreFor } from './connect.ts';
import { sandboxEnvironment } from './environment.ts';
import { createEvaluators } from './evaluators.ts';
import { ownNamespace } from './own-namespace.ts';
import { heartbeating, runUntilStopped } from './process.ts';
import { allowNoop } from '../evolution/config/noop.ts';

const environment = sandboxEnvironment(process.env, availableParallelism());
allowNoop(process.env);
Runtime.install({ logger: new DefaultLogger('WARN'), shutdownSignals: [] });

const engine = await connectEngine();
const store = await connectStoreFor(environment.mongodbUri);
await ownNamespace(engine, store, environment);
const evaluators = createEvaluators(environment, store);
const { evaluatorFor } = evaluators;
const worker = await Worker.create({
  connection: engine.native,
  namespace: engine.namespace,
  taskQueue: QUEUES.eval,
  interceptors: { activity: [heartbeating] },
  // Twice as many as run at once: the next batch is read, and results are written, while the containers are busy.
  maxConcurrentActivityTaskExecutions: 2 * environment.concurrency,
  shutdownGraceTime: '5 seconds',
  activities: { ...createEvaluate({ store, evaluatorFor }), ...createEvaluateHidden({ store, evaluatorFor }) },
});
await runUntilStopped({
  workers: [worker],
  close: async () => {
    await evaluators.close();
    await store.close();
    await engine.connection.close();
    await engine.native.close();
  },
});
