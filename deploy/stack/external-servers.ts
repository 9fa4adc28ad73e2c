// Servers that the user names instead of ours: read from settings and asked once before anything starts.
import { SetupError } from '../host/run-command.ts';
import type { Parts } from '../supervisor/plan.ts';

const REACH_TIMEOUT_MS = 8_000;

/** A server of the user's own is meant when an address, a profile or a profile file is named. */
export const isTemporalExternal = (env: NodeJS.ProcessEnv): boolean =>
  Boolean(env['TEMPORAL_ADDRESS'] || env['TEMPORAL_PROFILE'] || env['TEMPORAL_CONFIG_FILE']);

export const externalTemporal = async (env: NodeJS.ProcessEnv): Promise<Parts['temporal']> => {
  // Loaded late: most stacks have a server of their own.
  const { loadClientConnectConfig } = await import('@temporalio/envconfig');
  const read = (): ReturnType<typeof loadClientConnectConfig> => {
    try {
      return loadClientConnectConfig({ overrideEnvVars: definedOnly(env) });
    } catch (error) {
      throw new SetupError(
        `the Temporal settings cannot be read: ${(error as Error).message}; check TEMPORAL_ADDRESS, TEMPORAL_PROFILE and TEMPORAL_CONFIG_FILE`,
        error,
      );
    }
  };
  const { connectionOptions, namespace } = read();
  const address = connectionOptions.address ?? 'localhost:7233';
  const { Connection } = await import('@temporalio/client');
  try {
    const connection = await Connection.connect({ ...connectionOptions, connectTimeout: REACH_TIMEOUT_MS });
    await connection.close();
  } catch (error) {
    throw new SetupError(
      `the Temporal server at ${address} cannot be reached (${(error as Error).message}): start it, correct TEMPORAL_ADDRESS or the profile, or unset them to use the dev server`,
      error,
    );
  }
  return { address, namespace: namespace ?? 'default', ui: env['EVOLVE_TEMPORAL_UI'] ?? null, external: true };
};

const definedOnly = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));

/** The address without user and password, for messages. */
export const withoutPassword = (uri: string): string => uri.replace(/\/\/[^@/]*@/, '//');

export const checkExternalDatabase = async (uri: string): Promise<void> => {
  const { MongoClient } = await import('mongodb');
  try {
    const client = await new MongoClient(uri, {
      serverSelectionTimeoutMS: REACH_TIMEOUT_MS,
      connectTimeoutMS: REACH_TIMEOUT_MS,
    }).connect();
    try {
      await client.db('admin').command({ ping: 1 });
    } finally {
      await client.close();
    }
  } catch (error) {
    throw new SetupError(
      `the database at ${withoutPassword(uri)} cannot be reached (${(error as Error).message}): start it, correct MONGODB_URI, or unset it to use a local one`,
      error,
    );
  }
};
