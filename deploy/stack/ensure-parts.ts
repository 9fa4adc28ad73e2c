// Everything that a stack needs before its processes start: Docker engine, evaluator image, Temporal CLI, database.
import { join } from 'node:path';
import { type Home, nativeFault } from '../host/home.ts';
import { withLock } from '../host/lock.ts';
import { isRoot, type Say, SetupError } from '../host/run-command.ts';
import { type Database, databaseFault, ensureDatabase } from '../parts/database/database.ts';
import { type Engine, ensureDockerEngine } from '../parts/docker/docker-engine.ts';
import { addUser, defaultRegister } from '../parts/docker/shared-dockerd.ts';
import { ensureTemporalCli, type TemporalCli } from '../parts/temporal/temporal-cli.ts';
import { requirementsFile } from '../parts/python/venv.ts';
import { levelOf } from '../../evolution/config/levels.ts';
import { ensureRuntime } from './oci-runtimes.ts';

const IMAGE_TIMEOUT_MS = 20 * 60_000;

export type EnsuredParts = {
  readonly engine: Engine;
  readonly imageId: string | null;
  readonly cli: TemporalCli | null;
  readonly database: Database;
};

/** Its id in the engine. Without one it is a folder for the level that takes the engine's place, and the id is null. */
export const ensureEvaluatorImage = async (home: Home, { host, level }: Engine, say: Say): Promise<string | null> => {
  if (host === null && levelOf(level ?? '')?.program === undefined) return null;
  return withLock(
    join(home.parts, 'image.lock'),
    { timeoutMs: IMAGE_TIMEOUT_MS, waiting: (pid) => say('image', `waiting for process ${pid}, which makes it`) },
    async () => {
      // Is loaded late, because it brings the Docker client.
      const { ensureImage, ensureRootfs } = await import('../images/evaluator/image.ts');
      const options = {
        cacheDir: join(home.parts, 'image'),
        requirements: requirementsFile('evaluator'),
        say: (line: string) => say('image', line.replace(/^evaluator image: /, '')),
      };
      const { id, how } = await (host === null ? ensureRootfs(options) : ensureImage({ ...options, dockerHost: host }));
      say('image', `${id.slice(0, 19)} (${how})`);
      return host === null ? null : id;
    },
  );
};

/** Finds an engine and registers `user` as one who uses it, to be released afterwards. */
export const ensureEngine = async (home: Home, user: string, say: Say, env: NodeJS.ProcessEnv): Promise<Engine> => {
  // The user is registered before the engine is looked for, so that no other home's `down` stops it in between.
  await addUser(defaultRegister(), user, home.root);
  const engine = await ensureDockerEngine(say, env);
  if (engine.kind === 'none' && engine.level === null) throw new SetupError(engine.message);
  await ensureRuntime(home, engine, say, env);
  return engine;
};

/**
 * Resolves to all results. A first failure is thrown only once everything has ended, so that no installation is left
 * running in the background.
 */
const together = async <T extends readonly unknown[]>(work: { readonly [K in keyof T]: Promise<T[K]> }): Promise<T> => {
  const settled = await Promise.allSettled(work as readonly Promise<unknown>[]);
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  return settled.map((one) => (one as PromiseFulfilledResult<unknown>).value) as unknown as T;
};

/** The engine that was looked for, where the rest can be had. A person is told of all that is lacking at once. */
export const whereComplete = async (looked: Promise<Engine>, home: Home, env: NodeJS.ProcessEnv): Promise<Engine> => {
  const [engine] = await Promise.allSettled([looked]);
  if (engine.status === 'fulfilled' && engine.value.host !== null) return engine.value;
  const fault = await databaseFault(home, env);
  if (fault === null) return looked;
  throw engine.status === 'fulfilled'
    ? new SetupError(fault)
    : new SetupError(`${(engine.reason as Error).message}\nand ${fault}`, engine.reason);
};

/** May be repeated, and is quick when everything is there. `user` names who uses the shared engine. */
export const ensureParts = async (options: {
  readonly home: Home;
  readonly user: string;
  readonly say: Say;
  readonly externalTemporal: boolean;
  readonly env: NodeJS.ProcessEnv;
}): Promise<EnsuredParts> => {
  const { home, user, say, externalTemporal, env } = options;
  const fault = nativeFault();
  if (fault !== null) throw new SetupError(fault);
  const engine = whereComplete(ensureEngine(home, user, say, env), home, env);
  // Nothing is fetched for a machine that lacks something; root may have to wait for an engine to be installed.
  const complete = isRoot() ? Promise.resolve() : engine;
  const image = engine.then((found) => ensureEvaluatorImage(home, found, say));
  const cli = externalTemporal ? Promise.resolve(null) : complete.then(() => ensureTemporalCli(home, say, env));
  const database = engine.then((found) => ensureDatabase({ home, say, dockerHost: found.host }, env));
  const [foundEngine, imageId, foundCli, foundDatabase] = await together<
    [Engine, string | null, TemporalCli | null, Database]
  >([engine, image, cli, database]);
  return { engine: foundEngine, imageId, cli: foundCli, database: foundDatabase };
};
