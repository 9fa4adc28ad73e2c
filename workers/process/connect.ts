// Connections of a worker process: to the workflow engine, which environment or profile name, and to the database. Both
// are waited for while they start, and the search attributes are registered before any work begins.
import { Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection } from '@temporalio/worker';
import { SchemaError } from '../../activities/store/documents/errors.ts';
import { connectStore } from '../../activities/store/mongo/connect-store.ts';
import type { Store } from '../../activities/store/store.ts';
import { addAttributes, listedAttributes, wantedAttributes } from '../../client/temporal/search-attributes.ts';
import { insist } from './again.ts';

export type Engine = { readonly native: NativeConnection; readonly connection: Connection; readonly namespace: string };

const onThisHost = (address: string | undefined): boolean => /^(localhost|127\.|\[::1\])/.test(address ?? 'localhost');

const START_MS = 60_000;

/** Tries for a minute, because a server may still be starting. */
const whileStarting = <T>(connect: () => Promise<T>, final: (error: unknown) => boolean = () => false): Promise<T> => {
  const deadline = performance.now() + START_MS;
  return insist(connect, (error) => final(error) || performance.now() > deadline);
};

export const connectEngine = async (): Promise<Engine> => {
  // Our own development server must not be mixed with a profile file of the user's, so the supervisor names /dev/null
  // for it.
  const { connectionOptions, namespace } = loadClientConnectConfig({
    disableFile: process.env.TEMPORAL_CONFIG_FILE === '/dev/null',
  });
  try {
    return await whileStarting(async () => {
      const native = await NativeConnection.connect({
        ...(connectionOptions as Parameters<typeof NativeConnection.connect>[0]),
        // On one host, compression costs CPU and saves nothing.
        ...(onThisHost(connectionOptions.address) ? { grpcCompression: { codec: 'none' } } : {}),
      });
      const connection = await Connection.connect(connectionOptions);
      return { native, connection, namespace: namespace ?? 'default' };
    });
  } catch (error) {
    throw new Error(
      `the Temporal server at ${connectionOptions.address ?? 'localhost:7233'} cannot be reached; \`evolve doctor\` says what is running`,
      { cause: error },
    );
  }
};

export const connectStoreFor = (uri: string): Promise<Store> =>
  whileStarting(
    () => connectStore({ uri, log: (line) => console.log(line) }),
    (error) => error instanceof SchemaError,
  );

/**
 * Registers the search attributes of runs and steps. Refuses to start beside attributes of another type, because an
 * unregistered or mistyped attribute would fail every workflow task for ever.
 */
export const registerSearchAttributes = async (connection: Connection, namespace: string): Promise<void> => {
  const listed = () => listedAttributes(connection, namespace);
  const present = await listed();
  const missing = wantedAttributes.filter(([name]) => present[name] === undefined);
  if (missing.length > 0) await addAttributes(connection, namespace, missing);
  for (let attempt = 0; ; attempt += 1) {
    const now = await listed();
    const wrong = wantedAttributes.filter(([name, type]) => now[name] !== undefined && now[name] !== type);
    if (wrong.length > 0)
      throw new Error(
        `search attribute ${wrong[0]![0]}: expected type ${wrong[0]![1]} in namespace ${namespace}, got ${now[wrong[0]![0]]}: remove it (temporal operator search-attribute remove) or use another namespace`,
      );
    if (wantedAttributes.every(([name]) => now[name] !== undefined)) return;
    if (attempt > 50)
      throw new Error(
        `search attributes were registered in namespace ${namespace} and do not appear there: look at the Temporal server, then run \`evolve up\` again`,
      );
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
};
