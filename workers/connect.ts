// Connections to the workflow engine: the client's and the workers' share one way of finding it (environment or profile).
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection } from '@temporalio/worker';
import { Connection } from '@temporalio/client';

export type Engine = { readonly native: NativeConnection; readonly connection: Connection; readonly namespace: string };

const onThisHost = (address: string | undefined): boolean => /^(localhost|127\.|\[::1\])/.test(address ?? 'localhost');

/** Connects, waiting up to a minute for an engine that is still starting. */
export const connectEngine = async (): Promise<Engine> => {
  // Our own dev server must not be mixed with a profile file of the user's (deploy/child-environment.ts).
  const { connectionOptions, namespace } = loadClientConnectConfig({ disableFile: process.env.TEMPORAL_CONFIG_FILE === '/dev/null' });
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      const native = await NativeConnection.connect({
        ...connectionOptions as Parameters<typeof NativeConnection.connect>[0],
        // On one host compression costs CPU and saves nothing.
        ...(onThisHost(connectionOptions.address) ? { grpcCompression: { codec: 'none' } } : {}),
      });
      const connection = await Connection.connect(connectionOptions);
      return { native, connection, namespace: namespace ?? 'default' };
    } catch (error) {
      if (Date.now() > deadline) throw new Error(`the Temporal server at ${connectionOptions.address ?? 'localhost:7233'} cannot be reached; \`evolve doctor\` says what is running`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
};
