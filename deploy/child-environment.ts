// What each process may know: minimal, explicit environments. No child ever gets a model key; the Docker socket goes to the sandbox worker
// (and to the process that runs MongoDB in a container). Used by children.ts.
import { join } from 'node:path';
import { PROJECT_ROOT, type Home } from './home.ts';
import { mark } from './marked-processes.ts';
import type { Parts } from './up-file.ts';

type Environment = Readonly<Record<string, string>>;

/** The same from every shell, so that `up` from another one finds nothing changed. */
const PATH = [join(PROJECT_ROOT, 'node_modules', '.bin'), '/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'].join(':');

const pick = (env: NodeJS.ProcessEnv, wanted: (name: string) => boolean): Environment =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && wanted(entry[0])));

export const baseEnvironment = (home: Home, name: string, env: NodeJS.ProcessEnv): Environment => ({
  PATH, HOME: env['HOME'] ?? '/', LANG: 'C.UTF-8', ...mark(home.hash, name),
  // Stripped sources are kept: a process that need not load the TypeScript stripper is 35 MB smaller and starts faster.
  NODE_COMPILE_CACHE: join(home.parts, 'compile-cache'),
});

/** How processes reach the engine. A dev server of ours must not be mixed with a profile file of the user's. */
export const temporalEnvironment = (temporal: Parts['temporal'], env: NodeJS.ProcessEnv): Environment => temporal.external
  ? pick(env, (name) => name.startsWith('TEMPORAL_') && name !== 'TEMPORAL_CLI_PATH')
  : { TEMPORAL_ADDRESS: temporal.address, TEMPORAL_NAMESPACE: temporal.namespace, TEMPORAL_CONFIG_FILE: '/dev/null' };

const WORKER_SETTINGS = new Set(['EVOLVE_LLM_SLOTS', 'EVOLVE_DB_SLOTS', 'EVOLVE_EVAL_CONCURRENCY']);
/** A model endpoint may be behind a proxy or a private authority. */
const NETWORK = new Set(['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'NODE_USE_ENV_PROXY', 'HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'https_proxy', 'http_proxy', 'no_proxy']);

const workerEnvironment = (home: Home, name: string, parts: Parts, env: NodeJS.ProcessEnv): Environment => ({
  ...baseEnvironment(home, name, env),
  EVOLVE_HOME: home.root,
  EVOLVE_PARTS: home.parts,
  MONGODB_URI: parts.database.uri,
  ...temporalEnvironment(parts.temporal, env),
  ...pick(env, (variable) => WORKER_SETTINGS.has(variable)),
});

export const mainWorkerEnvironment = (home: Home, parts: Parts, bundle: string, env: NodeJS.ProcessEnv): Environment => ({
  ...workerEnvironment(home, 'worker', parts, env),
  EVOLVE_BUNDLE: bundle,
  ...(parts.offlineModel.url ? { EVOLVE_OFFLINE_MODEL_URL: parts.offlineModel.url } : {}),
  ...pick(env, (name) => NETWORK.has(name)),
});

export const sandboxWorkerEnvironment = (home: Home, parts: Parts, env: NodeJS.ProcessEnv): Environment => ({
  ...workerEnvironment(home, 'sandbox', parts, env),
  EVOLVE_SANDBOX: parts.docker.kind === 'bubblewrap' ? 'bubblewrap' : 'docker',
  ...(parts.docker.host ? { DOCKER_HOST: parts.docker.host } : {}),
  ...(parts.image.id ? { EVOLVE_IMAGE: parts.image.id } : {}),
});

export const databaseEnvironment = (home: Home, parts: Parts, env: NodeJS.ProcessEnv): Environment => ({
  ...baseEnvironment(home, 'database', env),
  ...(parts.database.kind === 'docker' && parts.docker.host ? { DOCKER_HOST: parts.docker.host } : {}),
});
