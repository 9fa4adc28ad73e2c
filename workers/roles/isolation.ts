// Opens a level of isolation by its name, and makes what levels need of this machine: the images of tasks, the files of the
// evaluator image, and the locks of GPUs.
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InfrastructureError } from '../../activities/sandbox/contract/types.ts';
import type { Cores } from '../../activities/sandbox/host/cores.ts';
import type { Isolation, LevelPlace, OpenLevel } from '../../activities/sandbox/levels/level.ts';
import { unlockedProblem } from '../../activities/task/task-world.ts';
import { PROJECT_ROOT } from '../../deploy/host/home.ts';
import { tryLock, unlock } from '../../deploy/host/lock.ts';
import { ownFolder } from '../../deploy/host/private.ts';
import { ensureRootfs } from '../../deploy/images/evaluator/image.ts';
import { dataHere } from '../../deploy/images/task/data-files.ts';
import { ensureTaskImage } from '../../deploy/images/task/task-image.ts';
import { allLevels, readLevel } from '../../evolution/config/levels.ts';
import { needsEngine } from '../../evolution/task/task-world.ts';
import type { Task } from '../../evolution/task/task.ts';
import type { IsolationEnvironment } from '../process/environment.ts';

/** `shared` are the cores of all levels of a process; left out, each level has its own. */
type Place = IsolationEnvironment & Pick<LevelPlace, 'data'> & { readonly shared?: Cores };

const log = (line: string): void => console.log(line);

export const isolationFor = async (
  environment: Omit<Place, 'data'> & Partial<Place>,
  text: string,
): Promise<Isolation> => {
  const read = readLevel(text);
  if (read === null)
    throw new InfrastructureError(
      `isolation: expected one of ${allLevels()
        .map(({ name }) => name)
        .join(
          ', ',
        )}, where it has containers with a runtime behind a plus (+runsc), got ${JSON.stringify(text)} (EVOLVE_SANDBOX, evaluation.sandbox)`,
    );
  const { launcher } = read.level;
  const module = launcher.includes('://') ? launcher : pathToFileURL(resolve(PROJECT_ROOT, launcher)).href;
  const { open } = (await import(module)) as { readonly open: OpenLevel };
  return open(placeOf({ data: undefined, ...environment }), read.runtime);
};

const placeOf = (environment: Place): LevelPlace => {
  const { env, dockerHost, image, homeHash, concurrency, shared, gpus, imageCache, requirements, data } = environment;
  return {
    env,
    home: homeHash,
    concurrency,
    cores: shared,
    dockerHost,
    image,
    rootfs: () => ensureRootfs({ cacheDir: imageCache, requirements, say: log }),
    gpus: gpusOf(gpus),
    data,
    log,
  };
};

/** Levels of isolation as tasks find them, with the image and the data files of each, opened when they are first needed. */
export const createIsolations = (environment: Omit<Place, 'data'>) => {
  const opened = remembered((key: string) => {
    const { level, ...own } = JSON.parse(key) as { level: string } & Pick<Place, 'image' | 'data'>;
    return isolationFor({ ...environment, ...own }, level);
  });
  return {
    /** Null is a task that cannot be read. Throws InfrastructureError where this host cannot have its image or files. */
    get: async (level: string, task: Pick<Task, 'id' | 'kind' | 'world'> | null): Promise<Isolation> =>
      opened.get(JSON.stringify({ level, ...(await worldOn(environment, task)) })),
    each: opened.each,
  };
};

const worldOn = async (
  { image, dockerHost, homeHash, home, imageCache }: Omit<Place, 'data'>,
  task: Pick<Task, 'id' | 'kind' | 'world'> | null,
): Promise<Pick<Place, 'image' | 'data'>> => {
  const { world } = task ?? {};
  if (task === null || world === undefined || !needsEngine(world)) return { image, data: undefined };
  try {
    const problem = unlockedProblem(world);
    if (problem !== null) throw new Error(problem);
    if (image === null) throw new Error('this host has no container engine');
    const say = (line: string): void => log(`image of ${task.id}: ${line}`);
    const own = await ensureTaskImage(world, { dockerHost, base: image, home: homeHash, cacheDir: imageCache, say });
    const folder = world.data == null ? null : await dataHere(home, world.data);
    // The evaluator of these kinds is apart from the program, and so are its files.
    const apart = ['solution', 'function'].includes(task.kind);
    return { image: own, data: folder === null ? undefined : { folder, candidates: !apart } };
  } catch (error) {
    throw new InfrastructureError(`task ${task.id}: ${(error as Error).message}`, { cause: error });
  }
};

/** The engine names GPUs by their numbers, from 0. Undefined where programs get none. */
const gpusOf = (count: number): LevelPlace['gpus'] => {
  if (count === 0) return undefined;
  // Is the same for all data directories of a user, because a device is the machine's.
  const folder = ownFolder(join(tmpdir(), `evolve-gpus-${process.getuid?.() ?? 0}`));
  const file = (device: string): string => join(folder, `gpu-${device}.lock`);
  return {
    ids: Array.from({ length: count }, (_, at) => String(at)),
    locks: { take: (device) => tryLock(file(device)), give: (device) => unlock(file(device)) },
  };
};

/** Where built programs in other languages are kept. */
export const buildsOf = (home: string): string => join(home, 'builds');

/** Values by key, made when they are first asked for. A failed attempt is forgotten. */
export const remembered = <T>(make: (key: string) => Promise<T>) => {
  const values = new Map<string, Promise<T>>();
  return {
    get: (key: string): Promise<T> => {
      const value =
        values.get(key) ??
        make(key).catch((error: unknown) => {
          values.delete(key);
          throw error;
        });
      values.set(key, value);
      return value;
    },
    each: async (visit: (value: T) => Promise<void>): Promise<void> => {
      await Promise.allSettled([...values.values()].map(async (value) => visit(await value)));
    },
  };
};
