// The list of processes of a home, with their command lines. To add or change a process of the stack, go here. Called by stack.ts.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { baseEnvironment, databaseEnvironment, mainWorkerEnvironment, sandboxWorkerEnvironment } from './child-environment.ts';
import { PROJECT_ROOT, projectNode, type Home } from './home.ts';
import type { Database } from './parts/database.ts';
import type { Ports } from './parts/ports.ts';
import { hashSources } from './parts/sources.ts';
import { temporalDatabaseOf, type TemporalCli } from './parts/temporal-cli.ts';
import { withRole, type ChildPlan } from './plan.ts';
import { SetupError } from './setup-error.ts';
import type { Parts } from './up-file.ts';

export type StackParts = {
  readonly home: Home;
  readonly parts: Parts;
  readonly ports: Ports;
  /** Null: the server is external. */
  readonly cli: TemporalCli | null;
  readonly database: Database;
  readonly bundle: { readonly path: string; readonly hash: string };
  readonly env: NodeJS.ProcessEnv;
};

const SERVERS = 0;
const WORKERS = 1;
const WORKER_CODE = ['workers', 'activities', 'evolution', 'workflows', 'tasks', 'package-lock.json'];
const MODEL_CODE = ['deploy/offline-model'];

/** Flags of reference temporal, section 15: write-ahead log, one partition, timers not rounded up to a second. */
const temporalArgs = (home: Home, ports: Ports): readonly string[] => [
  'server', 'start-dev', '--db-filename', temporalDatabaseOf(home), '--ip', '127.0.0.1',
  '--port', String(ports.temporal), '--ui-port', String(ports.ui), '--metrics-port', String(ports.metrics),
  '--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=1', '--ui-disable-news-fetch', '--log-level', 'warn',
  '--dynamic-config-value', 'matching.numTaskqueueReadPartitions=1', '--dynamic-config-value', 'matching.numTaskqueueWritePartitions=1',
  '--dynamic-config-value', 'matching.enableFairness=true',
  '--dynamic-config-value', 'history.timerProcessorMaxTimeShift="10ms"', '--dynamic-config-value', 'history.workflowTaskRetryMaxInterval="10s"',
];

const log = (home: Home, name: string): string => join(home.logs, `${name}.log`);

const entryFile = (path: string): string => {
  const file = join(PROJECT_ROOT, path);
  if (!existsSync(file)) throw new SetupError(`${file} is missing: the clone is incomplete; run \`git status\` and restore it`);
  return file;
};

const temporalChild = ({ home, ports, env }: StackParts, cli: TemporalCli): ChildPlan => withRole({
  name: 'temporal', stage: SERVERS, file: cli.path, args: temporalArgs(home, ports), env: baseEnvironment(home, 'temporal', env), cwd: home.root,
  port: ports.temporal, log: log(home, 'temporal'), health: { kind: 'temporal', port: ports.temporal }, stopTimeoutMs: 15_000,
}, cli.version);

const databaseChild = ({ home, parts, ports, env }: StackParts, database: Exclude<Database, { kind: 'external' }>): ChildPlan => withRole({
  // Its working directory holds no secantusd.toml (storage section 10).
  name: 'database', stage: SERVERS, ...database.command(ports.mongo), env: databaseEnvironment(home, parts, env), cwd: home.root,
  port: ports.mongo, log: log(home, 'database'), health: { kind: 'mongo', port: ports.mongo }, stopTimeoutMs: 20_000,
}, database.version);

const modelChild = ({ home, ports, env }: StackParts): ChildPlan => withRole({
  name: 'model', stage: SERVERS, file: projectNode(), args: [entryFile('deploy/offline-model/main.ts'), '--port', String(ports.model)],
  env: baseEnvironment(home, 'model', env), cwd: PROJECT_ROOT,
  port: ports.model, log: log(home, 'model'), health: { kind: 'http', url: `http://127.0.0.1:${ports.model}/v1/models` }, stopTimeoutMs: 5_000,
}, hashSources(MODEL_CODE));

/** A worker's live heap is about 55 MB; without this V8 lets short-lived objects take 100 MB more, and no faster (npm run bench -- population). */
const SMALL_YOUNG_GENERATION = '--max-semi-space-size=8';

const workerChild = (stack: StackParts, name: 'worker' | 'sandbox', file: string, environment: Readonly<Record<string, string>>, code: string): ChildPlan => withRole({
  name, stage: WORKERS, file: projectNode(), args: [SMALL_YOUNG_GENERATION, entryFile(file)], env: environment, cwd: PROJECT_ROOT,
  port: null, log: log(stack.home, name), health: { kind: 'ready-line' }, stopTimeoutMs: 15_000,
}, code);

/** The servers of our own: none where the user's are used. */
export const serverChildren = (stack: StackParts): readonly ChildPlan[] => [
  ...(stack.cli ? [temporalChild(stack, stack.cli)] : []),
  ...(stack.database.kind === 'external' ? [] : [databaseChild(stack, stack.database)]),
];

/** In start order. `worker` polls the workflow, db and llm queues, `sandbox` the eval queue. */
export const stackChildren = (stack: StackParts): readonly ChildPlan[] => {
  const { home, parts, env, bundle } = stack;
  const code = hashSources(WORKER_CODE, [bundle.hash]);
  return [
    ...serverChildren(stack),
    modelChild(stack),
    workerChild(stack, 'worker', 'workers/main.ts', mainWorkerEnvironment(home, parts, bundle.path, env), code),
    workerChild(stack, 'sandbox', 'workers/sandbox.ts', sandboxWorkerEnvironment(home, parts, env), code),
  ];
};
