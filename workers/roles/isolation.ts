// Opens a level of isolation by its name, and makes what levels need of this machine: the images for programs in other
// languages, the files of the evaluator image, and the locks of GPUs.
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InfrastructureError } from '../../activities/sandbox/contract/types.ts';
import type { Cores } from '../../activities/sandbox/host/cores.ts';
import type { Isolation, LevelPlace, OpenLevel } from '../../activities/sandbox/levels/level.ts';
import { PROJECT_ROOT, projectNode } from '../../deploy/host/home.ts';
import { tryLock, unlock } from '../../deploy/host/lock.ts';
import { ownFolder } from '../../deploy/host/private.ts';
import { connectEngine, imageId } from '../../deploy/images/evaluator/engine.ts';
import { ensureRootfs } from '../../deploy/images/evaluator/image.ts';
import { ensureNodeImage } from '../../deploy/images/evaluator/node.ts';
import { allLevels, readLevel } from '../../evolution/config/levels.ts';
import type { IsolationEnvironment } from '../process/environment.ts';

/** `shared` are the cores of all levels of a process; left out, each level has its own. */
type Place = IsolationEnvironment & { readonly shared?: Cores };

const log = (line: string): void => console.log(line);

export const isolationFor = async (environment: Place, text: string): Promise<Isolation> => {
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
  return open(placeOf(environment), read.runtime);
};

const placeOf = (environment: Place): LevelPlace => {
  const { env, dockerHost, image, homeHash, concurrency, shared, gpus, imageCache, requirements } = environment;
  return {
    env,
    home: homeHash,
    concurrency,
    cores: shared,
    dockerHost,
    image,
    imageFor: runtimeImages({ dockerHost, base: image }),
    rootfs: () => ensureRootfs({ cacheDir: imageCache, requirements, say: log }),
    gpus: gpusOf(gpus),
    log,
  };
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

/**
 * The image for a program in another language, by the name that its task gives. `node` is built when it is first asked
 * for; any other name must be an image of the engine. Throws with what to do.
 */
export const runtimeImages = ({
  dockerHost,
  base,
}: {
  readonly dockerHost: string | undefined;
  readonly base: string | null;
}): ((name: string) => Promise<string>) => {
  const images = remembered(async (name: string): Promise<string> => {
    if (name === 'node' && base !== null)
      return ensureNodeImage({ dockerHost, base, node: projectNode(), version: process.version });
    const id = await imageId(connectEngine(dockerHost), name);
    if (id === null)
      throw new Error(`the Docker engine has no image ${name}, which the task's runtime names: load or pull it`);
    return id;
  });
  return images.get;
};

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
