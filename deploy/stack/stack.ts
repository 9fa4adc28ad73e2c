// The whole stack of a home: `up` makes and starts what is missing, `down` stops all of it.
import { existsSync } from 'node:fs';
import { readJsonOrNull, writeJsonAtomically } from '../host/files.ts';
import { heartbeatSeconds } from './heartbeat.ts';
import { type Home, prepareHome, rememberUp } from '../host/home.ts';
import { withLock } from '../host/lock.ts';
import { pageTokenFile } from '../host/page-token.ts';
import { isAlive, markedProcesses } from '../host/process-identity.ts';
import { type Say, SetupError } from '../host/run-command.ts';
import { ensureBundle } from '../versions/bundle.ts';
import { askFor } from '../versions/kept-versions.ts';
import { writeMarker } from '../parts/database/database-marker.ts';
import { databasePassword, localUri } from '../parts/database/database-password.ts';
import { ensureMongoUser } from '../parts/database/mongo-user.ts';
import { readDestination } from '../host/notify.ts';
import { sharedDisk } from '../host/space.ts';
import { requireTelemetrySettings } from '../host/telemetry.ts';
import { choosePorts, type Ports, releaseReservations, requirePortSettings } from '../parts/ports.ts';
import { defaultRegister } from '../parts/docker/shared-dockerd.ts';
import { recordVersion } from '../parts/temporal/temporal-cli.ts';
import { NETWORK, stackChildren } from '../supervisor/children.ts';
import { pageChild } from '../supervisor/page-child.ts';
import { makePlan, type Parts, type Plan, readUp, type UpInfo, workersEnvironment } from '../supervisor/plan.ts';
import { followPlan, waitHealthy, type WhenRefused } from '../supervisor/supervisor-control.ts';
import { type EnsuredParts, ensureParts } from './ensure-parts.ts';
import { checkExternalDatabase, externalTemporal, isTemporalExternal } from '../servers/external-servers.ts';
import { whenAtWork } from './going-over.ts';
import { learningPlans, startLearning } from './learning.ts';
import { ensureRetention } from '../servers/retention.ts';
import { readTrackers } from '../servers/trackers.ts';
import { stopStack } from './stop-stack.ts';
import { DEFAULT_LEVEL } from '../../evolution/config/levels.ts';

/** Is long, because another `up` may be building the image. */
const SETUP_TIMEOUT_MS = 20 * 60_000;

/** The remembered ports that each process of ours holds. */
const HOLDS: Readonly<Record<string, readonly (keyof Ports)[]>> = {
  temporal: ['temporal', 'ui', 'metrics'],
  database: ['mongo'],
  trainer: ['trainer'],
  page: ['page'],
};

const portsFor = async (home: Home, current: UpInfo | null, env: NodeJS.ProcessEnv): Promise<Ports> => {
  const remembered = readJsonOrNull<Partial<Ports>>(home.portsFile) ?? {};
  // The mark finds the processes where up.json is lost.
  const living = new Set(
    [...(current?.processes ?? []).filter(isAlive), ...markedProcesses(home.hash)].map(({ name }) => name),
  );
  const held = [...living].flatMap((name) => (HOLDS[name] ?? []).map((port) => remembered[port]));
  const ports = await choosePorts({ remembered, held: new Set(held.filter((port) => port !== undefined)), env });
  writeJsonAtomically(home.portsFile, ports);
  return ports;
};

const partsOf = (
  home: Home,
  { engine, imageId, database }: EnsuredParts,
  temporal: Parts['temporal'],
  ports: Ports,
  tokenFile: string | null,
): Parts => ({
  temporal,
  database:
    database.kind === 'external'
      ? { uri: database.uri, kind: 'external', version: null, external: true }
      : {
          uri: localUri(ports.mongo, databasePassword(home)),
          kind: database.kind,
          version: database.version,
          external: false,
        },
  docker: { host: engine.host, kind: engine.kind, level: engine.level ?? DEFAULT_LEVEL },
  image: { id: imageId },
  trainer: { url: `http://127.0.0.1:${ports.trainer}/v1` },
  ...(tokenFile === null ? {} : { page: { tokenFile } }),
});

const tellChanges = (
  plan: Plan,
  current: UpInfo | null,
  { before, env, say }: { readonly before: NodeJS.ProcessEnv; readonly env: NodeJS.ProcessEnv; readonly say: Say },
): void => {
  const changed = plan.children.filter((child) =>
    current?.processes.some((one) => one.name === child.name && one.role !== child.role && isAlive(one)),
  );
  if (changed.length === 0) return;
  const lost = [...NETWORK].filter((name) => before[name] && !env[name]);
  const without = lost.length === 0 ? '' : ` without ${lost.join(', ')}, which this shell does not set`;
  say(
    'up',
    `code or settings changed since they were started: restarting ${changed.map(({ name }) => name).join(', ')}${without}`,
  );
};

const remember = (home: Home, { cli, database }: EnsuredParts): void => {
  if (cli) recordVersion(home, cli.version);
  if (database.kind !== 'external') writeMarker(home, { kind: database.kind, version: database.version });
};

const start = async (home: Home, say: Say, env: NodeJS.ProcessEnv, whenRefused?: WhenRefused): Promise<UpInfo> => {
  const current = readUp(home, (message) => say('up', message));
  requirePortSettings(env);
  requireTelemetrySettings(env);
  heartbeatSeconds(env);
  const tokenFile = pageTokenFile(env);
  readDestination(home.root, env);
  readTrackers(home.root, env);
  const external = isTemporalExternal(env) ? await externalTemporal(env) : null;
  if (external) say('temporal', `server at ${external.address}, namespace ${external.namespace} (your settings)`);
  const ensured = await ensureParts({ home, user: home.hash, say, externalTemporal: external !== null, env });
  if (ensured.database.kind === 'external') await checkExternalDatabase(ensured.database.uri);
  const bundle = await ensureBundle(home, say);
  askFor(home.root, bundle.path);
  const ports = await portsFor(home, current, env);
  const temporal = external ?? {
    address: `127.0.0.1:${ports.temporal}`,
    namespace: 'default',
    ui: `http://127.0.0.1:${ports.ui}`,
    external: false,
  };
  const parts = partsOf(home, ensured, temporal, ports, tokenFile);
  const learning = await learningPlans(home, parts, say, env).catch((error: unknown) => {
    if (error instanceof SetupError) return error;
    throw error;
  });
  const children = [
    ...(env['EVOLVE_PAGE'] === 'off' ? [] : [pageChild({ home, parts, ports, env })]),
    ...stackChildren({ home, parts, ports, cli: ensured.cli, database: ensured.database, bundle, env }),
    ...(learning instanceof SetupError ? [] : learning),
  ].toSorted((one, other) => one.stage - other.stage);
  const plan = makePlan({
    children,
    parts,
    dockerRegister: ensured.engine.kind === 'started' ? defaultRegister() : null,
  });
  tellChanges(plan, current, { before: workersEnvironment(home), env, say });
  remember(home, ensured);
  await followPlan(home, plan);
  const running = await waitHealthy(
    home,
    plan,
    async (name) => {
      if (name === 'database' && parts.database.kind !== 'secantusdb')
        await ensureMongoUser(ports.mongo, databasePassword(home));
      const child = plan.children.find((one) => one.name === name);
      const before = current?.processes.some((one) => one.name === name && one.role === child?.role && isAlive(one));
      say(name, `${before ? 'runs' : 'started'}${child?.port ? ` on 127.0.0.1:${child.port}` : ''}`);
    },
    whenRefused,
  );
  // Nobody waits for the page: its port stays reserved as long as this process lives.
  const { page: _, ...others } = ports;
  releaseReservations(others);
  if (ensured.cli) await ensureRetention(home, ensured.cli.path, temporal.address, say);
  await whenAtWork({ home, temporal, bundle: bundle.path, say, env });
  // Runs that do not learn go on without the trainer, so the rest is started first.
  if (learning instanceof SetupError) throw learning;
  return running;
};

const alone = <T>(home: Home, say: Say, work: () => Promise<T>): Promise<T> =>
  withLock(
    home.setupLock,
    {
      timeoutMs: SETUP_TIMEOUT_MS,
      waiting: (pid) => say('up', `waiting for process ${pid}, which sets up or stops this home`),
    },
    work,
  );

/**
 * Makes and starts what is missing, and leaves alone what runs already. Throws SetupError with the fix. `whenRefused`,
 * where given, runs instead when the Temporal namespace works with another database.
 */
export const up = async (
  home: Home,
  say: Say,
  env: NodeJS.ProcessEnv = process.env,
  whenRefused?: WhenRefused,
): Promise<UpInfo> => {
  prepareHome(home);
  const shared = sharedDisk(home.root);
  if (shared !== null) say('up', shared);
  const info = await alone(home, say, () => start(home, say, env, whenRefused));
  rememberUp(home, env);
  return info;
};

/**
 * Marks the home as one that learns, and starts what the trainer needs beside what runs. Where nothing runs, the next
 * `up` starts it.
 */
export const learn = (home: Home, say: Say, env: NodeJS.ProcessEnv, trainer: string): Promise<void> => {
  prepareHome(home);
  return alone(home, say, () => startLearning(home, say, env, trainer));
};

/**
 * Stops everything of this home, waits until it is gone, and gives the shared Docker engine back. It may be repeated.
 */
export const down = async (home: Home, say: Say): Promise<void> => {
  if (!existsSync(home.root)) {
    say('down', `${home.root} does not exist: nothing to stop`);
    return;
  }
  await alone(home, say, () => stopStack(home, say));
};
