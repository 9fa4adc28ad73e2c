// Finds a database that speaks MongoDB's protocol.
import { join } from 'node:path';
import { type Home, projectNode } from '../../host/home.ts';
import { findOnPath, runCommand, type Say, SetupError } from '../../host/run-command.ts';
import { databaseDirectory, LOCAL_KINDS, type LocalKind, readMarker, refuseOtherKind } from './database-marker.ts';
import { DATABASE_USER, databasePasswordFile } from './database-password.ts';
import { findMongoImage, MONGO_IMAGE, mongodFlags } from './mongo-image.ts';
import { pythonFault } from '../python/python.ts';
import { ensurePythonTool, pinnedVersion, venvState } from '../python/venv.ts';

export type Database =
  | { readonly kind: 'external'; readonly version: null; readonly how: string; readonly uri: string }
  | {
      readonly kind: LocalKind;
      readonly version: string;
      readonly how: string;
      readonly command: (port: number) => { readonly file: string; readonly args: readonly string[] };
    };

type Search = {
  readonly home: Home;
  readonly say: Say;
  /** Null where no Docker engine can be used. */
  readonly dockerHost: string | null;
};
type Found = Database | { readonly kind: 'none'; readonly why: string };
const none = (why: string): Found => ({ kind: 'none', why });

const fromMongod = async ({ home }: Search): Promise<Found> => {
  const file = findOnPath('mongod');
  if (!file) return none('no mongod on PATH');
  const { ok, stdout } = await runCommand(file, ['--version'], { timeoutMs: 60_000 });
  const version = ok ? /db version v(\S+)/.exec(stdout)?.[1] : undefined;
  if (!version) return none(`${file} does not run`);
  const args = (port: number) => ['--dbpath', databaseDirectory(home), ...mongodFlags(port)];
  return { kind: 'mongod', version, how: `${file}, found on PATH`, command: (port) => ({ file, args: args(port) }) };
};

const fromDocker = async ({ home, say, dockerHost }: Search): Promise<Found> => {
  if (dockerHost === null) return none('no Docker engine for mongo:8');
  const image = await findMongoImage({ dockerHost, parts: home.parts, say: (line) => say('database', line) });
  if ('why' in image) return none(image.why);
  const script = join(import.meta.dirname, 'mongo-container.ts');
  const args = (port: number) => [script, `evolve-mongo-${home.hash}`, home.hash, String(port)];
  return {
    kind: 'docker',
    version: image.version,
    how: `Docker image ${MONGO_IMAGE} (${image.how})`,
    command: (port) => ({ file: projectNode(), args: args(port) }),
  };
};

const SECANTUS = join(import.meta.dirname, 'secantusd.py');

/** These flags are needed: without them acknowledged writes are lost and the log grows without end. */
const secantusArgs = (home: Home, port: number): readonly string[] => [
  // Nothing of the working directory, of the user's packages or of PYTHON* variables is loaded.
  '-I',
  SECANTUS,
  DATABASE_USER,
  databasePasswordFile(home),
  '--host',
  '127.0.0.1',
  '--port',
  String(port),
  '--storage-path',
  databaseDirectory(home),
  '--sync-on-commit',
  '--cache-size',
  '512M',
  '--oplog-max-entries',
  '2000',
  '--oplog-retention-seconds',
  '300',
  '--log-level',
  'WARNING',
];

const fromSecantus = async ({ home, say }: Search): Promise<Found> => {
  const file = join(await ensurePythonTool(home, 'secantusdb', say), 'python');
  return {
    kind: 'secantusdb',
    version: pinnedVersion('secantusdb', 'SecantusDB'),
    how: 'embedded, from PyPI; for trying the system: days-long runs belong on MongoDB (MONGODB_URI)',
    command: (port) => ({ file, args: secantusArgs(home, port) }),
  };
};

const SOURCES: Readonly<Record<LocalKind, (search: Search) => Promise<Found>>> = {
  mongod: fromMongod,
  docker: fromDocker,
  secantusdb: fromSecantus,
};

const demandedKind = (env: NodeJS.ProcessEnv): LocalKind | null => {
  const text = env['EVOLVE_DATABASE'];
  if (!text) return null;
  const kind = LOCAL_KINDS.find((known) => known === text);
  if (kind) return kind;
  throw new SetupError(`EVOLVE_DATABASE: expected one of ${LOCAL_KINDS.join(', ')}, got ${JSON.stringify(text)}`);
};

const findFirst = async (search: Search, kinds: readonly LocalKind[]): Promise<Database> => {
  const reasons: string[] = [];
  for (const kind of kinds) {
    const candidate = await SOURCES[kind](search).catch((error: unknown) => none((error as Error).message));
    if (candidate.kind !== 'none')
      return { ...candidate, how: reasons.length > 0 ? `${candidate.how}; ${reasons.join('; ')}` : candidate.how };
    reasons.push(candidate.why);
  }
  throw new SetupError(
    `no database: MONGODB_URI is not set, and ${reasons.join('; ')}. Set MONGODB_URI to any MongoDB, install mongod, load the Docker image ${MONGO_IMAGE}, or make a Python package index reachable (SecantusDB); mongodb-memory-server is not part of this project`,
  );
};

const kindsFor = (home: Home, env: NodeJS.ProcessEnv): readonly LocalKind[] => {
  const demanded = demandedKind(env);
  const written = readMarker(home);
  return demanded ? [demanded] : written ? [written.kind] : LOCAL_KINDS;
};

/** The Python that SecantusDB lacks, where no other database can be had without a Docker engine; else null. */
export const databaseFault = async (home: Home, env: NodeJS.ProcessEnv): Promise<string | null> => {
  if (env['MONGODB_URI'] || venvState(home) === 'ready') return null;
  const kinds = kindsFor(home, env);
  if (!kinds.includes('secantusdb') || (kinds.includes('mongod') && findOnPath('mongod') !== null)) return null;
  const fault = await pythonFault();
  return fault && `${fault}, or set MONGODB_URI to any MongoDB`;
};

/**
 * The server for this home: MONGODB_URI, else the kind that wrote the home's directory, else the first to be had of
 * mongod, Docker and SecantusDB.
 */
export const ensureDatabase = async (search: Search, env: NodeJS.ProcessEnv): Promise<Database> => {
  const uri = env['MONGODB_URI'];
  if (uri) {
    if (!/^mongodb(\+srv)?:\/\//.test(uri))
      throw new SetupError('MONGODB_URI: expected an address that starts with mongodb:// or mongodb+srv://');
    search.say('database', 'MONGODB_URI');
    return { kind: 'external', version: null, how: 'MONGODB_URI', uri };
  }
  const written = readMarker(search.home);
  const demanded = demandedKind(env);
  const database = await findFirst(search, kindsFor(search.home, env));
  if (database.kind !== 'external') refuseOtherKind(search.home, database);
  search.say(
    'database',
    `${database.kind} ${database.version} (${written && !demanded ? 'wrote this data directory' : database.how})`,
  );
  return database;
};
