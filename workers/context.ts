// What all roles of a worker process have in common: one connection to the workflow engine and one to the database, the
// tasks of runs, and the options that every Temporal worker of ours gets. A role adds its own workers to it.
import type { Worker, WorkerOptions } from '@temporalio/worker';
import type { Payloads } from '../activities/payloads/payloads.ts';
import type { Store } from '../activities/store/store.ts';
import { allowNoop } from '../evolution/config/noop.ts';
import { connectEngine, connectStoreFor, type Engine } from './connect.ts';
import { ownNamespace } from './own-namespace.ts';
import { openPayloads } from './payloads.ts';
import { heartbeating, runUntilStopped } from './process.ts';
import { createTaskCache } from './task-cache.ts';
import { startTelemetry, type Telemetry } from './telemetry/telemetry.ts';

export type Context = {
  readonly engine: Engine;
  readonly store: Store;
  readonly loadTask: ReturnType<typeof createTaskCache>;
  readonly telemetry: Telemetry;
  readonly payloads: Payloads;
  /** Every worker is made with these. */
  readonly shared: Pick<
    WorkerOptions,
    'connection' | 'namespace' | 'dataConverter' | 'interceptors' | 'shutdownGraceTime'
  >;
};

/** What a role runs. `close` is called when its workers have drained, while engine and store are still there. */
export type Role = { readonly workers: readonly Worker[]; readonly close: () => Promise<void> };

type Place = {
  readonly mongodbUri: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
};

/** Resolves when the namespace belongs to this database, so that its roles may ask for work. */
export const openContext = async ({ mongodbUri, home, env }: Place): Promise<Context> => {
  allowNoop(env);
  const telemetry = await startTelemetry({ home, env });
  const engine = await connectEngine();
  const store = await connectStoreFor(mongodbUri);
  await ownNamespace(engine, store, { mongodbUri, home });
  const payloads = await openPayloads(store, home, env);
  return {
    engine,
    store,
    loadTask: createTaskCache(store),
    telemetry,
    payloads,
    shared: {
      connection: engine.native,
      namespace: engine.namespace,
      dataConverter: payloads.ofWorker,
      interceptors: { activity: [heartbeating, telemetry.interceptor] },
      shutdownGraceTime: '5 seconds',
    },
  };
};

/** Runs the roles in this process until SIGTERM, then closes them and what they share. */
export const serve = async ({ engine, store, telemetry }: Context, roles: readonly Role[]): Promise<void> =>
  runUntilStopped({
    workers: roles.flatMap(({ workers }) => workers),
    close: async () => {
      for (const role of roles) await role.close();
      await store.close();
      await engine.connection.close();
      await engine.native.close();
      await telemetry.close();
    },
  });
