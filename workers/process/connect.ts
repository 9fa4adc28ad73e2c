// Connections of a worker process: to the workflow engine, which environment or profile name, and to the database. Both
// are waited for while they start, and the search attributes are registered before any work begins.
import { Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection } from '@temporalio/worker';
import { SchemaError } from '../../activities/store/documents/errors.ts';
import { connectStore } from '../../activities/store/mongo/connect-store.ts';
import type { Store } from '../../activities/store/store.ts';
import { addAttributes, listedAttributes, wantedAttributes } from '../../client/temporal/search-attributes.ts';

export type Engine = { readonly native: NativeConnection; readonly connection: Connection; readonly namespace: string };

const onThisHost = (address: string | undefined): boolean => /^(localhost|127\.|\[::1\])/.test(address ?? 'localhost');

/** Connects, waiting up to a minute for an engine that is still starting. */
export const connectEngine = async (): Promise<Engine> => {
  // Our own development server must not be mixed with a profile file of the user's, so the supervisor names /dev/null
  // for it.
  const { connectionOptions, namespace } = loadClientConnectConfig({
    disableFile: process.env.TEMPORAL_CONFIG_FILE === '/dev/null',
  });
  const deadline = performance.now() + 60_000;
  for (;;) {
    try {
      const native = await NativeConnection.connect({
        ...(connectionOptions as Parameters<typeof NativeConnection.connect>[0]),
        // On one host, compression costs CPU and saves nothing.
        ...(onThisHost(connectionOptions.address) ? { grpcCompression: { codec: 'none' } } : {}),
      });
      const connection = await Connection.connect(connectionOptions);
      return { native, connection, namespace: namespace ?? 'default' };
    } catch (error) {
      if (performance.now() > deadline)
        throw new Error(
          `the Temporal server at ${connectionOptions.address ?? 'localhost:7233'} cannot be reached; \`evolve doctor\` says what is running`,
          { cause: error },
        );
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
};

/** Connects to the store, waiting up to a minute for a database that is still starting. */
export const connectStoreFor = async (uri: string): Promise<Store> => {
  const deadline = performance.now() + 60_000;
  for (;;) {
    try {
      return await connectStore({ uri, log: (line) => console.log(line) });
    } catch (error) {
      if (error instanceof SchemaError || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
};

/**
 * Registers the search attributes of runs and steps. Refuses to start beside attributes of another type, because an
 * unregistered or mistyped attribute would fail every workflow task for ever.
 */
export const registerSearchAttributes = async (connection: Connection, namespace: string): Promise<void> => {
  const wanted = wantedAttributes;
  const listed = () => listedAttributes(connection, namespace);
  const present = await listed();
  const missing = wanted.filter(([name]) => present[name] === undefined);
  if (missing.length > 0) await addAttributes(connection, namespace, missing);
  for (let attempt = 0; ; attempt += 1) {
    const now = await listed();
    const wrong = wanted.filter(([name, type]) => now[name] !== undefined && now[name] !== type);
    if (wrong.length > 0)
      throw new Error(
        `search attribute ${wrong[0]![0]}: expected type ${wrong[0]![1]} in namespace ${namespace}, got ${now[wrong[0]![0]]}: remove it (temporal operator search-attribute remove) or use another namespace`,
      );
    if (wanted.every(([name]) => now[name] !== undefined)) return;
    if (attempt > 50)
      throw new Error(
        `search attributes were registered in namespace ${namespace} and do not appear there: look at the Temporal server, then run \`evolve up\` again`,
      );
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
};
