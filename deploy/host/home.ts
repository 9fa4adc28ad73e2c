// The places of this machine: one data directory for each home, and heavy parts that several homes may share.
import { accessSync, constants, existsSync, mkdirSync, readFileSync, realpathSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rememberedHome, rememberHome } from './remembered-home.ts';
import { keepPrivate, refuseForeignLink } from './private.ts';
import { SetupError } from './run-command.ts';
import { sha256 } from './sha256.ts';

/** The folder of package.json. */
export const PROJECT_ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

type Manifest = { readonly version: string; readonly dependencies: Readonly<Record<string, string>> };
const manifestIn = (file: string): Manifest => JSON.parse(readFileSync(file, 'utf8')) as Manifest;
const own = (): Manifest => manifestIn(join(PROJECT_ROOT, 'package.json'));
export const packageVersion = (): string => own().version;

/** The package.json of an npm package that ours uses, in our folder or in one above; null where it is not installed. */
const manifestOf = (name: string, folder = PROJECT_ROOT): string | null => {
  const file = join(folder, 'node_modules', name, 'package.json');
  if (existsSync(file)) return file;
  return dirname(folder) === folder ? null : manifestOf(name, dirname(folder));
};
export const versionOf = (name: string): string | null => {
  const file = manifestOf(name);
  return file === null ? null : manifestIn(file).version;
};
/** The version of each npm package that ours uses; null for one that is not installed. */
export const dependencies = (): Readonly<Record<string, string | null>> =>
  Object.fromEntries(Object.keys(own().dependencies).map((name) => [name, versionOf(name)]));

const HERE = `${process.platform}-${process.arch}`;
/** Parts that are made for one kind of machine, behind the packages that lead to them. */
const NATIVES = [
  ['esbuild', `@esbuild/${HERE}`],
  ['@temporalio/worker', '@swc/core', `@swc/core-${HERE}${process.platform === 'linux' ? '-gnu' : ''}`],
  ['@temporalio/worker', '@temporalio/core-bridge'],
] as const;

/** Names what npm left out, by --omit=optional or on another kind of machine; null where all is there. */
export const nativeFault = (): string | null => {
  const missing = NATIVES.flatMap((chain) => {
    try {
      const last = chain.reduce(
        (from, name) => createRequire(from).resolve(`${name}/package.json`),
        join(PROJECT_ROOT, 'package.json'),
      );
      if (last.includes('core-bridge'))
        (createRequire(last)('./common.js') as { readonly getPrebuiltPath: () => string }).getPrebuiltPath();
      return [];
    } catch {
      return [chain.at(-1)!];
    }
  });
  return missing.length === 0
    ? null
    : `npm installed no ${missing.join(', ')} for ${HERE}: run \`npm install --include=optional\` on this machine`;
};

/** The package of a clone, and that of an installed package (deploy/pack.mjs). */
const NODE_PACKAGES = ['node', `node-${HERE}`];
/** The Node that processes of the stack run on, whichever Node asks for them. */
export const projectNode = (): string =>
  NODE_PACKAGES.flatMap((name) => manifestOf(name) ?? [])
    .map((file) => join(dirname(file), 'bin', 'node'))
    .find((file) => existsSync(file)) ?? process.execPath;

export type Home = {
  /** Absolute path of this home's data: temporal.db, mongo/, logs/, up.json, locks. */
  readonly root: string;
  /** The same as it was named, with links not followed. */
  readonly named: string;
  /**
   * Heavy parts that can be made again: virtual environment, Temporal CLI, image archives, workflow bundles. Homes
   * share them through EVOLVE_PARTS.
   */
  readonly parts: string;
  /** Names this home in labels, volumes and reference counts of things that all homes of a machine share. */
  readonly hash: string;
  readonly logs: string;
  readonly upFile: string;
  readonly planFile: string;
  readonly portsFile: string;
  readonly supervisorLock: string;
  readonly setupLock: string;
};

/** The path with links resolved as far as it exists, so that one directory has one hash. */
const canonical = (path: string): string => {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(canonical(parent), basename(path));
};

/** True in a package that npm installed. Its folder is npm's, which removes it with the next version. */
export const IS_INSTALLED = PROJECT_ROOT.split(sep).includes('node_modules');
const OWN_HOME = IS_INSTALLED
  ? join(process.env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'durable-evolve')
  : join(PROJECT_ROOT, '.evolve');

/** A shell leaves `~` as it is within quotes, and files of variables know no shell. */
const placeOf = (path: string): string => resolve(path.replace(/^~(?=\/|$)/, homedir()));

/**
 * EVOLVE_HOME names it. Else it is `.evolve` of the clone, or the data folder of an installed package's user, unless the
 * home that is up is another.
 */
export const resolveHome = (env: NodeJS.ProcessEnv): Home => {
  const isNamed = env['EVOLVE_HOME'] || existsSync(join(OWN_HOME, 'up.json'));
  const up = isNamed ? null : rememberedHome(env, PROJECT_ROOT);
  const named = placeOf(env['EVOLVE_HOME'] || (up?.home ?? OWN_HOME));
  const root = canonical(named);
  return {
    root,
    named,
    parts: canonical(placeOf(env['EVOLVE_PARTS'] || (up?.parts ?? root))),
    hash: sha256(root).slice(0, 12),
    logs: join(root, 'logs'),
    upFile: join(root, 'up.json'),
    planFile: join(root, 'plan.json'),
    portsFile: join(root, 'ports.json'),
    supervisorLock: join(root, 'supervisor.lock'),
    setupLock: join(root, 'setup.lock'),
  };
};

/** Other shells find it, until it is down. */
export const rememberUp = ({ root, parts }: Home, env: NodeJS.ProcessEnv): void =>
  rememberHome(env, PROJECT_ROOT, { home: root, parts });

/** A short name for people: that of the data directory, or of the folder in which a hidden one is. */
export const nameOf = ({ root }: Home): string =>
  basename(basename(root).startsWith('.') ? dirname(root) : root) || root;

/** Where the workers of a home leave the files of runs unless EVOLVE_RUNS names a folder. */
export const WORKERS_RUNS = join(IS_INSTALLED ? OWN_HOME : PROJECT_ROOT, 'runs');

/** The folder of the files of runs, a folder for each run: that of EVOLVE_RUNS, else `runs` where the command is called. */
export const runsDirectory = (env: NodeJS.ProcessEnv): string => placeOf(env['EVOLVE_RUNS'] || 'runs');

const NEEDED_BYTES = 1024 ** 3;
/** `evolve doctor` warns below this, `evolve up` refuses below NEEDED_BYTES. */
export const ADVISED_FREE_BYTES = 2 * 1024 ** 3;

export const freeBytes = (path: string): number => {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
};

/**
 * Makes one level after the other, because Node's recursive mkdir never returns where the file system takes no
 * directories (/proc).
 */
const makeDirectory = (path: string, mode = 0o777): void => {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
};

const makeWritable = (path: string, setting: string, mode?: number, before: () => void = () => undefined): void => {
  try {
    before();
    makeDirectory(path, mode);
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof SetupError) throw error;
    throw new SetupError(
      `expected a directory that can be written at ${path} (${(error as NodeJS.ErrnoException).code ?? 'error'}): make it writable, or set ${setting} to another directory`,
      error,
    );
  }
};

/** Heavy parts by their names below `parts`. They hold no secret. */
const PARTS = new Set([
  'venv',
  'venv-trainer',
  'venv-trackers',
  'temporal-cli',
  'image',
  'bundles',
  'compile-cache',
  'pycache',
]);

/**
 * Creates the directories of a home and keeps them from other users. Throws, with the fix, when they cannot be written,
 * are another user's, or the disk is nearly full.
 */
export const prepareHome = (home: Home): void => {
  makeWritable(home.root, 'EVOLVE_HOME', 0o700, () => refuseForeignLink(home.named));
  makeWritable(home.parts, 'EVOLVE_PARTS');
  mkdirSync(home.logs, { recursive: true, mode: 0o700 });
  keepPrivate(home.root, new Set(['data', ...(home.parts === home.root ? PARTS : [])]));
  for (const [path, setting] of [
    [home.root, 'EVOLVE_HOME'],
    [home.parts, 'EVOLVE_PARTS'],
  ] as const) {
    const free = freeBytes(path);
    if (free < NEEDED_BYTES) {
      throw new SetupError(
        `the disk of ${path} is nearly full: ${Math.round(free / 1e6)} MB free, ${Math.round(NEEDED_BYTES / 1e6)} MB needed; make room, or set ${setting} to a directory on another disk`,
      );
    }
  }
};
