// Servers that the user names instead of ours: read from settings, and asked once before anything starts. Commands find
// the same servers again.
import type { Connection } from '@temporalio/client';
import type * as Envconfig from '@temporalio/envconfig';
import type { MongoClient } from 'mongodb';
import { createRequire } from 'node:module';
import type { Home } from '../host/home.ts';
import { SetupError } from '../host/run-command.ts';
import { probe } from '../supervisor/health.ts';
import {
  certificateAdvice,
  databaseAdvice,
  handshakeError,
  hostAndPort,
  keyAdvice,
  whyReadOnly,
  wrongTlsAdvice,
} from './server-faults.ts';
import { type Parts, workersEnvironment } from '../supervisor/plan.ts';

/** Codes of gRPC. */
const [NOT_FOUND, PERMISSION_DENIED, UNIMPLEMENTED] = [5, 7, 12];

/** Is long enough for a busy machine. */
const REACH_TIMEOUT_MS = 30_000;
/** Within this time the supervisor starts a dead server again. */
const AWAY_TIMEOUT_MS = 5_000;

/**
 * The time to wait for a server, `mostMs` at most. One whose port takes connections is there, however late a busy
 * machine lets it answer. A null address means that the address is not known.
 */
export const patienceWith = async (address: string | null, mostMs = REACH_TIMEOUT_MS): Promise<number> => {
  if (address === null || !/.:\d+$/.test(address) || mostMs <= AWAY_TIMEOUT_MS)
    return Math.min(mostMs, REACH_TIMEOUT_MS);
  const state = await probe({ kind: 'tcp', ...hostAndPort(address) }, { pid: 0, log: '' });
  return Math.min(mostMs, state === 'away' ? AWAY_TIMEOUT_MS : REACH_TIMEOUT_MS);
};

/** A server of the user's own is meant when an address, a profile or a profile file is named. */
export const isTemporalExternal = (env: NodeJS.ProcessEnv): boolean =>
  Boolean(env['TEMPORAL_ADDRESS'] || env['TEMPORAL_PROFILE'] || env['TEMPORAL_CONFIG_FILE']);

type ConnectOptions = NonNullable<Parameters<typeof Connection.connect>[0]>;

/**
 * Reads address, namespace, TLS and key from these variables, or from the profile that they choose. Throws SetupError
 * where they cannot be read.
 */
const readSettings = (
  env: NodeJS.ProcessEnv,
): { readonly options: ConnectOptions & { readonly address: string }; readonly namespace: string } => {
  try {
    // Is loaded late, because most stacks have a server of their own; and at once, because commands ask where it is.
    const { loadClientConnectConfig } = createRequire(import.meta.url)('@temporalio/envconfig') as typeof Envconfig;
    const { connectionOptions, namespace } = loadClientConnectConfig({
      overrideEnvVars: definedOnly(env),
      disableFile: env['TEMPORAL_CONFIG_FILE'] === '/dev/null',
    });
    return {
      options: { ...connectionOptions, address: connectionOptions.address ?? 'localhost:7233' },
      namespace: namespace ?? 'default',
    };
  } catch (error) {
    throw new SetupError(
      `the Temporal settings cannot be read: ${(error as Error).message}; check TEMPORAL_ADDRESS, TEMPORAL_PROFILE and TEMPORAL_CONFIG_FILE`,
      error,
    );
  }
};

/** Throws SetupError where no server answers there. `otherwise` is what to do besides starting it. */
export const externalTemporal = async (
  env: NodeJS.ProcessEnv,
  otherwise = 'correct TEMPORAL_ADDRESS or the profile, or unset them to use the dev server',
): Promise<Parts['temporal']> => {
  const { options, namespace } = readSettings(env);
  const [, port = '7233'] = /:(\d+)$/.exec(options.address) ?? [];
  if (/[\s/]/.test(options.address) || Number(port) < 1 || Number(port) > 65_535)
    throw new SetupError(
      `${env['TEMPORAL_ADDRESS'] ? 'TEMPORAL_ADDRESS' : 'the address of the Temporal profile'}: expected host:port such as 127.0.0.1:7233, got ${JSON.stringify(options.address.slice(0, 100))}`,
    );
  await checkTemporal({ ...options, namespace }, otherwise);
  return { address: options.address, namespace, ui: uiAddress(env), external: true };
};

/** The address stands in links, files and answers of the page, so that a password in it would be everywhere. */
export const uiAddress = (env: NodeJS.ProcessEnv): string | null => {
  const text = env['EVOLVE_TEMPORAL_UI'];
  if (!text) return null;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new SetupError(
      `EVOLVE_TEMPORAL_UI: expected an address that begins with http:// or https://, got ${url === null ? 'none' : JSON.stringify(url.protocol)}`,
    );
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new SetupError(
      `EVOLVE_TEMPORAL_UI: expected an address without user, password and query, because links show it to whoever sees them, got one with ${url.username !== '' || url.password !== '' ? 'a user or password' : 'a query'}: log in at ${url.origin} itself`,
    );
  return text;
};

/** Throws SetupError when no server answers there, and where it lacks the namespace. */
export const checkTemporal = async (
  { namespace, ...options }: ConnectOptions & { readonly namespace?: string },
  otherwise: string,
  patienceMs = REACH_TIMEOUT_MS,
): Promise<void> => {
  const { Connection } = await import('@temporalio/client');
  const { address = 'localhost:7233', tls = false } = options;
  const server = `the Temporal server at ${address}`;
  const wrongTls = async (error: unknown): Promise<void> => {
    const advice = await wrongTlsAdvice({ ...hostAndPort(address), tls: Boolean(tls) }, 'temporal');
    if (advice !== null) throw new SetupError(`${server} cannot be reached: ${advice}`, error);
  };
  const refused = tls ? await handshakeError(address, tls, patienceMs) : null;
  if (refused !== null) {
    const advice = certificateAdvice(refused, 'temporal');
    if (advice !== null) throw new SetupError(`${server} cannot be reached (${refused.message}): ${advice}`, refused);
    await wrongTls(refused);
  }
  let lacking: string | null = null;
  try {
    const connection = await Connection.connect({
      ...options,
      connectTimeout: await patienceWith(options.address ?? null, patienceMs),
    });
    try {
      lacking =
        namespace === undefined
          ? null
          : await connection.withDeadline(Date.now() + patienceMs, () => lackOf(connection, namespace));
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (keyAdvice(error) === null) await wrongTls(error);
    throw new SetupError(
      `${server} cannot be reached (${(error as Error).message}): ${keyAdvice(error) ?? `start it, ${otherwise}`}`,
      error,
    );
  }
  if (lacking !== null) throw new SetupError(`${server} ${lacking}`);
};

/** The error for a namespace that is not there. Null where it is, and where this may not be asked. */
const lackOf = async ({ workflowService }: Connection, namespace: string): Promise<string | null> => {
  try {
    await workflowService.describeNamespace({ namespace });
    return null;
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code === NOT_FOUND)
      return `has no namespace ${namespace}: make it (temporal operator namespace create --namespace ${namespace} --retention 720h), or name another one in TEMPORAL_NAMESPACE or the profile`;
    if (code === PERMISSION_DENIED || code === UNIMPLEMENTED) return null;
    throw error;
  }
};

/**
 * The options of the server that a stack was started with. This shell's settings count where they name the same server,
 * because their key may be newer. Where they name none or another one, the settings that the workers were given count.
 */
export const temporalOptions = async (
  home: Home,
  temporal: Parts['temporal'],
  env: NodeJS.ProcessEnv,
): Promise<ConnectOptions & { readonly address: string }> => {
  const { address, external } = temporal;
  if (!external) return { address };
  for (const settings of [env, workersEnvironment(home)].filter(isTemporalExternal)) {
    const options = optionsOf(settings);
    if (options?.address === address) return options;
  }
  return { address };
};

const optionsOf = (env: NodeJS.ProcessEnv): ReturnType<typeof readSettings>['options'] | null => {
  try {
    return readSettings(env).options;
  } catch {
    return null;
  }
};

/**
 * The Temporal server that the environment names, by its address or by a profile; null where it names none. Asks no
 * server. Throws SetupError where the profile cannot be read.
 */
export const namedTemporal = (
  env: NodeJS.ProcessEnv,
): { readonly address: string; readonly namespace: string } | null => {
  if (!isTemporalExternal(env)) return null;
  const { options, namespace } = readSettings(env);
  return { address: options.address, namespace };
};

const definedOnly = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));

/**
 * The address of a database without user, password and secret options, for messages. What looks like a password in an
 * address that cannot be read is hidden as well.
 */
export const withoutPassword = (uri: string): string =>
  uri.replace(/\/\/.*@/s, '//').replace(/([?&][^=&]*(?:password|properties|token)[^=&]*=)[^&]*/gi, '$1...');

/** The message of the driver, which may repeat the address or what it read in it. */
const messageAbout = (uri: string, error: unknown): string => {
  const [, credentials = ''] = /\/\/(.*)@/s.exec(uri) ?? [];
  const password = credentials.slice(credentials.indexOf(':') + 1);
  const secrets = [uri, credentials, password, decoded(password)].filter((text) => text.length > 0);
  return secrets.reduce((text, secret) => text.replaceAll(secret, '...'), (error as Error).message);
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/**
 * Throws SetupError where no database answers there, and where it takes no writes. Writes nothing itself. `otherwise` is
 * what to do besides starting it.
 */
export const checkExternalDatabase = async (
  uri: string,
  {
    timeoutMs = REACH_TIMEOUT_MS,
    otherwise = 'correct MONGODB_URI, or unset it to use a local one',
  }: { readonly timeoutMs?: number; readonly otherwise?: string } = {},
): Promise<void> => {
  const { MongoClient } = await import('mongodb');
  const server = `the database at ${withoutPassword(uri)}`;
  let readOnly: string | null;
  try {
    const client = await new MongoClient(uri, {
      serverSelectionTimeoutMS: timeoutMs,
      connectTimeoutMS: timeoutMs,
    }).connect();
    try {
      await client.db('admin').command({ ping: 1 });
      readOnly = await whyReadOnly(client);
    } finally {
      await client.close();
    }
  } catch (error) {
    const advice = await databaseTlsAdvice(uri);
    if (advice !== null) throw new SetupError(`${server} cannot be reached: ${advice}`);
    throw new SetupError(
      `${server} cannot be reached (${messageAbout(uri, error)}): ${databaseAdvice(error, otherwise)}`,
    );
  }
  if (readOnly !== null) throw new SetupError(`${server} ${readOnly}`);
};

/** The first server of the address that answers decides; null for an address that cannot be read. */
const databaseTlsAdvice = async (uri: string): Promise<string | null> => {
  const Driver = await import('mongodb');
  let options: MongoClient['options'];
  try {
    ({ options } = new Driver.MongoClient(uri));
  } catch {
    return null;
  }
  const advices = options.hosts.flatMap(({ host, port }) =>
    host === undefined || port === undefined
      ? []
      : [wrongTlsAdvice({ host, port, tls: options.tls === true }, 'database')],
  );
  return (await Promise.all(advices)).find((advice) => advice !== null) ?? null;
};
