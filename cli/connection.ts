// Connections of a command to the parts of its home, found through up.json: the store and the Temporal client. Errors say what to start.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Connection } from '@temporalio/client';
import type { RunDocument } from '../activities/store/documents.ts';
import type { Store } from '../activities/store/store.ts';
import { isAlive } from '../deploy/process-identity.ts';
import { canAsk, engineSilence, engineAnswers } from '../deploy/parts/engine-address.ts';
import { readUp, type UpInfo } from '../deploy/up-file.ts';
import type { RunConfig } from '../evolution/config/run-config.ts';
import type { Context } from './command.ts';
import { MissingError } from './exit.ts';
import type { TemporalUi } from './report.ts';
import { findRun } from './run-id.ts';

export type Engine = { readonly client: Client; readonly connection: Connection; readonly namespace: string; readonly close: () => Promise<void> };

const PATIENCE_MS = 5_000;
const START = 'start it with `npx evolve up` (or `npm start`)';

const upOf = ({ home }: Context): UpInfo => {
  const info = readUp(home);
  if (info === null) throw new MissingError(`nothing is up for ${home.root}: ${START}`);
  return info;
};

const firstLine = (error: unknown): string => (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';

export const openStore = async (context: Context): Promise<Store> => {
  const { database } = upOf(context);
  // Loaded here: commands that need no database start faster.
  const { connectStore } = await import('../activities/store/mongo/connect-store.ts');
  try {
    return await connectStore({ uri: database.uri, log: () => undefined, timeoutMs: PATIENCE_MS });
  } catch (error) {
    throw new MissingError(`the database (${database.kind}) does not answer (${firstLine(error)}): ${database.external ? 'check MONGODB_URI' : START}; \`npx evolve doctor\` says more`);
  }
};

export const openEngine = async (context: Context): Promise<Engine> => {
  const { temporal } = upOf(context);
  const { Client, Connection } = await import('@temporalio/client');
  const options = temporal.external ? await profileOptions() : { address: temporal.address };
  try {
    const connection = await Connection.connect({ ...options, connectTimeout: PATIENCE_MS });
    return { client: new Client({ connection, namespace: temporal.namespace }), connection, namespace: temporal.namespace, close: () => connection.close() };
  } catch (error) {
    throw new MissingError(`the Temporal server at ${temporal.address} does not answer (${firstLine(error)}): ${temporal.external ? 'check TEMPORAL_ADDRESS or the profile' : START}; \`npx evolve doctor\` says more`);
  }
};

/** Address, TLS and key of a server that is not ours: environment or profile, as the workers read them. */
const profileOptions = async (): Promise<NonNullable<Parameters<typeof Connection.connect>[0]>> => {
  const { loadClientConnectConfig } = await import('@temporalio/envconfig');
  return loadClientConnectConfig().connectionOptions;
};

/** Null where no UI is known. */
export const temporalUi = (context: Context): TemporalUi | null => {
  const temporal = readUp(context.home)?.temporal;
  return temporal?.ui ? { base: temporal.ui, namespace: temporal.namespace } : null;
};

export const withStore = async <T>(context: Context, work: (store: Store) => Promise<T>): Promise<T> => {
  const store = await openStore(context);
  try { return await work(store); } finally { await store.close(); }
};

export type OpenRun = { readonly run: RunDocument; readonly store: Store; readonly engine: () => Promise<Engine> };

/** The named run, the store and, when asked for, the workflow engine; all closed afterwards. */
export const withRun = async <T>(context: Context, id: string, work: (open: OpenRun) => Promise<T>): Promise<T> => {
  let engine: Engine | null = null;
  return withStore(context, async (store) => {
    try {
      const run = await findRun(store, id);
      return await work({ run, store, engine: async () => (engine ??= await openEngine(context)) });
    } finally {
      await engine?.close();
    }
  });
};

/** The supervisor starts a dead part again within this time. */
const RESTART_MS = 10_000;

/** Before a run is started: every part it needs is there. */
export const checkParts = async (context: Context, config: RunConfig): Promise<void> => {
  const deadline = Date.now() + RESTART_MS;
  const away = (): UpInfo['processes'] => upOf(context).processes.filter((one) => !one.healthy || !isAlive(one));
  while (away().length > 0 && Date.now() < deadline) await sleep(200);
  const dead = away();
  if (dead.length > 0) throw new MissingError(`not running: ${dead.map(({ name, log }) => `${name} (log: ${log})`).join(', ')}: ${START}`);
  const info = upOf(context);
  if (config.model.kind === 'offline' && info.offlineModel.url === null) throw new MissingError(`the offline model is not running: ${START}`);
  const needsDocker = config.evaluation.sandbox === 'docker' || (config.evaluation.sandbox === 'auto' && info.docker.kind !== 'bubblewrap');
  if (needsDocker) await checkDocker(info);
};

const checkDocker = async ({ docker }: UpInfo): Promise<void> => {
  if (docker.host === null) throw new MissingError('no Docker engine is known, and candidates run in containers only: `npx evolve doctor` says how to get one');
  if (canAsk(docker.host) && !(await engineAnswers(docker.host))) {
    throw new MissingError(`the Docker engine at ${docker.host} does not answer (${await engineSilence(docker.host)}): start it, or set DOCKER_HOST and run \`npx evolve up\``);
  }
};
