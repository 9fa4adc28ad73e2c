// The processes of a home: their command lines, and the explicit, minimal environment of each. No child ever gets a
// model key. The Docker socket goes to the sandbox worker, and to the process that runs MongoDB in a container.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Home, PROJECT_ROOT, projectNode, runsDirectory, WORKERS_RUNS } from '../host/home.ts';
import { NOTIFY_FILE, TRACKERS_FILE } from '../host/notify.ts';
import { isTelemetrySetting } from '../host/telemetry.ts';
import { mark } from '../host/process-identity.ts';
import { SetupError } from '../host/run-command.ts';
import { DYNAMIC_CONFIG, SELDOM } from '../parts/temporal/temporal-settings.ts';
import type { Database } from '../parts/database/database.ts';
import { dockerEnvironment } from '../parts/docker/engine-address.ts';
import type { Ports } from '../parts/ports.ts';
import { hashSources, payloadKeysRevision, WORKER_CODE } from '../versions/sources.ts';
import { type TemporalCli, temporalDatabaseOf } from '../parts/temporal/temporal-cli.ts';
import { type ChildPlan, type Parts, withRole } from './plan.ts';
import { allLevels } from '../../evolution/config/levels.ts';

export type Environment = Readonly<Record<string, string>>;

/** Is the same from every shell, so that `up` from another one finds nothing changed. */
const PATH = [
  dirname(projectNode()),
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
].join(':');

export const pick = (env: NodeJS.ProcessEnv, wanted: (name: string) => boolean): Environment =>
  Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && wanted(entry[0])),
  );

export const baseEnvironment = (home: Home, name: string, env: NodeJS.ProcessEnv): Environment => ({
  PATH,
  HOME: env['HOME'] ?? '/',
  LANG: 'C.UTF-8',
  ...mark(home.hash, name),
  // Node keeps the stripped sources here. A process that need not load the TypeScript stripper is 35 MB smaller and
  // starts faster.
  NODE_COMPILE_CACHE: join(home.parts, 'compile-cache'),
});

/**
 * Variables by which processes reach the workflow engine. Our own development server must not be mixed with a
 * profile file of the user's.
 */
export const temporalEnvironment = (temporal: Parts['temporal'], env: NodeJS.ProcessEnv): Environment =>
  temporal.external
    ? pick(env, (name) => name.startsWith('TEMPORAL_') && name !== 'TEMPORAL_CLI_PATH')
    : { TEMPORAL_ADDRESS: temporal.address, TEMPORAL_NAMESPACE: temporal.namespace, TEMPORAL_CONFIG_FILE: '/dev/null' };

/** The last is for benches: evolution/config/noop.ts. */
const WORKER_SETTINGS = new Set([
  'EVOLVE_LLM_SLOTS',
  'EVOLVE_DB_SLOTS',
  'EVOLVE_EVAL_CONCURRENCY',
  'EVOLVE_EVAL_LABELS',
  'EVOLVE_EVAL_GPUS',
  'EVOLVE_EVAL_DEDICATED',
  'EVOLVE_GRACE',
  'EVOLVE_HEARTBEAT_TIMEOUT',
  'EVOLVE_LEAST_FREE',
  'EVOLVE_LEVELS',
  'EVOLVE_ALLOW_NOOP',
  'EVOLVE_NOOP_MS',
  'EVOLVE_PAYLOAD_KEYS',
  'EVOLVE_PAYLOAD_KEYS_FILE',
  NOTIFY_FILE,
  TRACKERS_FILE,
]);
/** For the role `model` alone: where keys of endpoints are, and what decrypts those that hosts share. */
const KEYS_OF_MODELS = new Set(['EVOLVE_KEYS_FILE', 'EVOLVE_SECRETS_KEY']);
/** A server or an endpoint may have its certificate of a private authority. */
const AUTHORITIES = new Set(['NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA', 'SSL_CERT_FILE', 'SSL_CERT_DIR']);
/** A model endpoint may be behind a proxy besides. */
export const NETWORK = new Set([
  ...AUTHORITIES,
  'NODE_USE_ENV_PROXY',
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NO_PROXY',
  'https_proxy',
  'http_proxy',
  'no_proxy',
]);

const workerEnvironment = (home: Home, name: string, parts: Parts, env: NodeJS.ProcessEnv): Environment => ({
  ...baseEnvironment(home, name, env),
  EVOLVE_HOME: home.root,
  EVOLVE_PARTS: home.parts,
  MONGODB_URI: parts.database.uri,
  // The C library keeps less memory that was freed.
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '131072',
  ...temporalEnvironment(parts.temporal, env),
  ...pick(env, (name) => WORKER_SETTINGS.has(name) || AUTHORITIES.has(name) || isTelemetrySetting(name)),
});

export const mainWorkerEnvironment = (
  home: Home,
  parts: Parts,
  bundle: string,
  env: NodeJS.ProcessEnv,
): Environment => ({
  ...workerEnvironment(home, 'worker', parts, env),
  EVOLVE_BUNDLE: bundle,
  // Relative to where `up` was called, which the worker does not know.
  EVOLVE_RUNS: env['EVOLVE_RUNS'] ? runsDirectory(env) : WORKERS_RUNS,
  // Also where no trainer runs yet, so that the first run that learns restarts no worker.
  ...(parts.trainer ? { EVOLVE_TRAINER_URL: parts.trainer.url } : {}),
  ...pick(
    env,
    (name) =>
      NETWORK.has(name) ||
      KEYS_OF_MODELS.has(name) ||
      name.startsWith('MLFLOW_TRACKING_') ||
      name === 'EVOLVE_OFFLINE_MODEL_URL',
  ),
});

/** The level of runs that leave it open, and the variables of all levels. */
export const sandboxEnvironment = (level: string, env: NodeJS.ProcessEnv): Environment => {
  const beginnings = allLevels().flatMap(({ environment = [] }) => environment);
  return { EVOLVE_SANDBOX: level, ...pick(env, (name) => beginnings.some((one) => name.startsWith(one))) };
};

export const sandboxWorkerEnvironment = (home: Home, parts: Parts, env: NodeJS.ProcessEnv): Environment => ({
  ...workerEnvironment(home, 'sandbox', parts, env),
  ...sandboxEnvironment(parts.docker.level, env),
  ...dockerEnvironment(parts.docker.host, env),
  ...(parts.image.id ? { EVOLVE_IMAGE: parts.image.id } : {}),
});

export const databaseEnvironment = (home: Home, parts: Parts, env: NodeJS.ProcessEnv): Environment => ({
  ...baseEnvironment(home, 'database', env),
  ...(parts.database.kind === 'docker' ? dockerEnvironment(parts.docker.host, env) : {}),
});

type StackParts = {
  readonly home: Home;
  readonly parts: Parts;
  readonly ports: Ports;
  /** Null where the server is external. */
  readonly cli: TemporalCli | null;
  readonly database: Database;
  readonly bundle: { readonly path: string; readonly hash: string };
  readonly env: NodeJS.ProcessEnv;
};

const SERVERS = 0;
export const WORKERS = 1;

/** The flags ask for a write-ahead log besides. */
const temporalArgs = (home: Home, ports: Ports): readonly string[] => [
  'server',
  'start-dev',
  '--db-filename',
  temporalDatabaseOf(home),
  '--ip',
  '127.0.0.1',
  '--port',
  String(ports.temporal),
  '--ui-port',
  String(ports.ui),
  '--metrics-port',
  String(ports.metrics),
  '--sqlite-pragma',
  'journal_mode=WAL',
  '--sqlite-pragma',
  'synchronous=1',
  '--ui-disable-news-fetch',
  '--log-level',
  'warn',
  ...[...DYNAMIC_CONFIG, ...SELDOM].flatMap((setting) => ['--dynamic-config-value', setting]),
];

export const logOf = (home: Home, name: string): string => join(home.logs, `${name}.log`);

const entryFile = (path: string): string => {
  const file = join(PROJECT_ROOT, path);
  if (!existsSync(file))
    throw new SetupError(`${file} is missing: the clone is incomplete; run \`git status\` and restore it`);
  return file;
};

const temporalChild = ({ home, ports, env }: StackParts, cli: TemporalCli): ChildPlan =>
  withRole(
    {
      name: 'temporal',
      stage: SERVERS,
      file: cli.path,
      args: temporalArgs(home, ports),
      env: { ...baseEnvironment(home, 'temporal', env), ...pick(env, (name) => name === 'GOGC') },
      cwd: home.root,
      port: ports.temporal,
      log: logOf(home, 'temporal'),
      health: { kind: 'temporal', port: ports.temporal },
      stopTimeoutMs: 15_000,
    },
    cli.version,
  );

const databaseChild = (
  { home, parts, ports, env }: StackParts,
  database: Exclude<Database, { kind: 'external' }>,
): ChildPlan =>
  withRole(
    {
      // The working directory holds no secantusd.toml, which the server would read.
      name: 'database',
      stage: SERVERS,
      ...database.command(ports.mongo),
      env: databaseEnvironment(home, parts, env),
      cwd: home.root,
      port: ports.mongo,
      log: logOf(home, 'database'),
      health: { kind: 'mongo', port: ports.mongo },
      stopTimeoutMs: 20_000,
    },
    database.version,
  );

/**
 * A worker's live heap is about 55 MB, or about 110 MB with a population of 10,000. Without this flag V8 lets short-lived
 * objects take 100 MB more and is no faster (npm run bench -- population). With half of it a stream of fast answers
 * collects garbage twice as often, which costs it 1 % of its programs (npm run bench -- operations --only steady).
 */
const SMALL_YOUNG_GENERATION = '--max-semi-space-size=16';

/** The command line of a worker process begins with these. */
export const WORKER_FLAGS: readonly string[] = [
  SMALL_YOUNG_GENERATION,
  `--import=${pathToFileURL(join(PROJECT_ROOT, 'workers', 'untraced.ts'))}`,
];

const workerChild = (
  stack: StackParts,
  name: 'worker' | 'sandbox',
  file: string,
  environment: Readonly<Record<string, string>>,
  code: string,
): ChildPlan =>
  withRole(
    {
      name,
      stage: WORKERS,
      file: projectNode(),
      args: [...WORKER_FLAGS, entryFile(file)],
      env: environment,
      cwd: PROJECT_ROOT,
      port: null,
      log: logOf(stack.home, name),
      health: { kind: 'ready-line' },
      stopTimeoutMs: 15_000,
    },
    code,
  );

/** The servers of our own. There are none where the user's are used. */
const serverChildren = (stack: StackParts): readonly ChildPlan[] => [
  ...(stack.cli ? [temporalChild(stack, stack.cli)] : []),
  ...(stack.database.kind === 'external' ? [] : [databaseChild(stack, stack.database)]),
];

/**
 * The children in the order of their start. `worker` polls the workflow, db and llm queues, `sandbox` the eval queue.
 */
export const stackChildren = (stack: StackParts): readonly ChildPlan[] => {
  const { home, parts, env, bundle } = stack;
  const code = hashSources(WORKER_CODE, [bundle.hash, ...payloadKeysRevision(home, env)]);
  return [
    ...serverChildren(stack),
    workerChild(stack, 'worker', 'workers/main.ts', mainWorkerEnvironment(home, parts, bundle.path, env), code),
    workerChild(stack, 'sandbox', 'workers/sandbox.ts', sandboxWorkerEnvironment(home, parts, env), code),
  ];
};
