// One role on a machine of its own: what it needs is made here, and the Temporal server and the database are others'.
// Nothing of the role is in up.json, and no supervisor keeps it: whoever starts it (systemd, Kubernetes, a person) does.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { heartbeatSeconds } from './heartbeat.ts';
import { type Home, prepareHome, PROJECT_ROOT, projectNode } from '../host/home.ts';
import { readDestination } from '../host/notify.ts';
import { mark } from '../host/process-identity.ts';
import { type Say, SetupError } from '../host/run-command.ts';
import { ensureBundle } from '../versions/bundle.ts';
import { ensureTrainer } from '../parts/python/trainer-venv.ts';
import {
  type Environment,
  mainWorkerEnvironment,
  sandboxWorkerEnvironment,
  WORKER_FLAGS,
} from '../supervisor/children.ts';
import { learnerAlone, policiesOf } from '../supervisor/learning-children.ts';
import { pageArgs, pageEnvironment } from '../supervisor/page-child.ts';
import type { Parts } from '../supervisor/plan.ts';
import { ensureEngine, ensureEvaluatorImage } from './ensure-parts.ts';
import { checkExternalDatabase, externalTemporal, isTemporalExternal } from '../servers/external-servers.ts';
import { readTrackers } from '../servers/trackers.ts';
import { DEFAULT_LEVEL } from '../../evolution/config/levels.ts';

export type HostRole = 'engine' | 'model' | 'evaluation' | 'learning' | 'page';

/** The process that a role is. It takes the place of the command that asked for it. */
export type RoleProcess = {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Environment;
  readonly temporal: string;
};

/** Throws SetupError, with the fix, where an address is missing or does not answer. */
export const prepareRole = async (
  home: Home,
  role: HostRole,
  say: Say,
  env: NodeJS.ProcessEnv,
): Promise<RoleProcess> => {
  if (!isTemporalExternal(env))
    throw new SetupError(
      'expected the address of the Temporal server, got none: give --temporal host:port, or set TEMPORAL_ADDRESS or TEMPORAL_PROFILE',
    );
  const uri = env['MONGODB_URI'];
  if (!uri)
    throw new SetupError('expected the address of the database, got none: set MONGODB_URI, or give --mongodb uri');
  prepareHome(home);
  const temporal = await externalTemporal(env, 'or correct --temporal, TEMPORAL_ADDRESS or the profile');
  await checkExternalDatabase(uri, { otherwise: 'or correct MONGODB_URI or --mongodb' });
  const servers: Pick<Parts, 'temporal' | 'database'> = {
    temporal,
    database: { uri, kind: 'external', version: null, external: true },
  };
  const prepared = await PREPARED[role](home, servers, say, env);
  const [markName] = Object.keys(mark(home.hash, role));
  return {
    ...prepared,
    // A supervisor of this data directory ends what has its mark and is not in its plan.
    env: {
      ...Object.fromEntries(Object.entries(prepared.env).filter(([name]) => name !== markName)),
      EVOLVE_ROLE: role,
    },
    temporal: `${temporal.address}, namespace ${temporal.namespace}`,
  };
};

const entry = (name: string): string => join(PROJECT_ROOT, 'workers', `${name}.ts`);

type Servers = Pick<Parts, 'temporal' | 'database'>;

type Prepared = Omit<RoleProcess, 'temporal'>;
type Prepare = (home: Home, servers: Servers, say: Say, env: NodeJS.ProcessEnv) => Promise<Prepared>;

const node = (env: Environment, ...args: readonly string[]): Prepared => ({
  file: projectNode(),
  args: [...WORKER_FLAGS, ...args],
  env,
});

const learning: Prepare = async (home, servers, say, env) => {
  const { python } = await ensureTrainer(home, say, env);
  mkdirSync(policiesOf(home), { recursive: true, mode: 0o700 });
  const url = env['EVOLVE_TRAINER_URL'];
  const parts = { ...servers, ...(url ? { trainer: { url } } : {}) };
  return { file: python, ...learnerAlone({ home, parts, env }) };
};

const main = async (home: Home, servers: Servers, say: Say, env: NodeJS.ProcessEnv): Promise<Environment> => {
  readDestination(home.root, env);
  readTrackers(home.root, env);
  heartbeatSeconds(env);
  const { path } = await ensureBundle(home, say);
  const trainer = env['EVOLVE_TRAINER_URL'];
  const parts: Parts = {
    ...servers,
    docker: { host: null, kind: 'none', level: DEFAULT_LEVEL },
    image: { id: null },
    ...(trainer ? { trainer: { url: trainer } } : {}),
  };
  return mainWorkerEnvironment(home, parts, path, env);
};

const evaluation = async (home: Home, servers: Servers, say: Say, env: NodeJS.ProcessEnv): Promise<Environment> => {
  // A bench evaluates nothing.
  const engine = env['EVOLVE_SANDBOX'] === 'none' ? null : await ensureEngine(home, home.hash, say, env);
  const image = engine && (await ensureEvaluatorImage(home, engine, say));
  return sandboxWorkerEnvironment(
    home,
    {
      ...servers,
      docker: { host: engine?.host ?? null, kind: engine?.kind ?? 'none', level: engine?.level ?? DEFAULT_LEVEL },
      image: { id: image },
    },
    env,
  );
};

const PREPARED: { readonly [role in HostRole]: Prepare } = {
  engine: async (...given) => node(await main(...given), entry('role'), 'engine'),
  model: async (...given) => node(await main(...given), entry('role'), 'model'),
  evaluation: async (...given) => node(await evaluation(...given), entry('sandbox')),
  learning,
  // The command has put the address into the environment.
  page: async (home, servers, _say, env) => ({
    file: projectNode(),
    args: pageArgs(),
    env: pageEnvironment(home, servers, env),
  }),
};
