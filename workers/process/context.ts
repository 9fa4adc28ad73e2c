// The parts that all roles of a worker process share: one connection to the workflow engine and one to the database, the
// tasks of runs, and the options that every Temporal worker of ours gets. A role adds its own workers to it.
import type { Worker, WorkerOptions } from '@temporalio/worker';
import type { Payloads } from '../../activities/payloads/payloads.ts';
import type { Store } from '../../activities/store/store.ts';
import { leastFree } from '../../deploy/host/space.ts';
import { usePriceFile } from '../../activities/llm/price-file.ts';
import { registerOutsideLevels } from '../../deploy/host/outside-levels.ts';
import { allowNoop } from '../../evolution/config/noop.ts';
import { collectGarbage, hands } from './again.ts';
import { connectEngine, connectStoreFor, type Engine } from './connect.ts';
import { sparingDisk } from './disk.ts';
import { openPayloads, ownNamespace } from './admission.ts';
import { type About, announce } from './presence.ts';
import { heartbeating, HEARTBEATS, runUntilStopped } from './process.ts';
import { createTaskCache } from './task-cache.ts';
import { startTelemetry, type Telemetry } from '../telemetry/telemetry.ts';

export type Context = {
  readonly engine: Engine;
  readonly namespaceId: string;
  readonly store: Store;
  readonly loadTask: ReturnType<typeof createTaskCache>;
  readonly telemetry: Telemetry;
  readonly payloads: Payloads;
  /** Every worker is made with these. */
  readonly shared: Pick<
    WorkerOptions,
    'connection' | 'namespace' | 'dataConverter' | 'interceptors' | 'maxHeartbeatThrottleInterval' | 'shutdownGraceTime'
  >;
  readonly grace: number;
};

/** The workers of a role. */
export type Role = {
  readonly about: About;
  readonly workers: readonly Worker[];
  /** Is called once the workers run. `add` runs a further worker. */
  readonly started?: (add: (worker: Worker) => void) => void;
  /** Is called when the workers have drained, while engine and store are still there. */
  readonly close: () => Promise<void>;
};

type Place = {
  readonly mongodbUri: string;
  readonly home: string;
  /** Seconds that running activities have to finish after SIGTERM. */
  readonly grace: number;
};

/** Resolves when the namespace belongs to this database, so that its roles may ask for work. */
export const openContext = async (
  { mongodbUri, home, grace }: Place,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Context> => {
  allowNoop(env);
  registerOutsideLevels(env);
  usePriceFile(home);
  const telemetry = await startTelemetry({ home, env });
  const engine = await connectEngine();
  const store = await connectStoreFor(mongodbUri);
  const namespaceId = await ownNamespace(engine, store, { mongodbUri, home });
  const payloads = await openPayloads(store, home, env);
  return {
    engine,
    namespaceId,
    store,
    loadTask: createTaskCache(store),
    telemetry,
    payloads,
    shared: {
      connection: engine.native,
      namespace: engine.namespace,
      dataConverter: payloads.ofWorker,
      interceptors: {
        activity: [heartbeating, telemetry.interceptor, sparingDisk({ directory: home, least: leastFree(env) })],
      },
      ...HEARTBEATS,
      shutdownGraceTime: grace * 1000,
    },
    grace,
  };
};

/** Runs the roles in this process until SIGTERM, then closes them and what they share. */
export const serve = async (context: Context, roles: readonly Role[]): Promise<void> => {
  const { engine, namespaceId, store, telemetry, grace } = context;
  hands.whenQuiet(collectGarbage);
  const polling = roles.map(({ workers }) => [...workers]);
  // One that has not begun is about to.
  const queuesOf = (at: number): readonly string[] => [
    ...new Set(
      polling[at]!.filter((one) => ['INITIALIZED', 'RUNNING'].includes(one.getState())).map(
        ({ options }) => options.taskQueue,
      ),
    ),
  ];
  const present = await Promise.all(
    roles.map(({ about }, at) => announce(store, about, namespaceId, () => queuesOf(at))),
  );
  await runUntilStopped({
    workers: roles.flatMap(({ workers }) => workers),
    grace,
    started: (add) => {
      for (const [at, role] of roles.entries())
        role.started?.((worker) => {
          polling[at]!.push(worker);
          add(worker);
        });
    },
    close: async () => {
      for (const role of roles) await role.close();
      for (const one of present) await one.stop();
      await store.close();
      await engine.connection.close();
      await engine.native.close();
      await telemetry.close();
    },
  });
};
