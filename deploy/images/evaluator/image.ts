// The evaluator image: found, loaded or built once, and from then on named by its id.
import type Docker from 'dockerode';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadArchive, tagOf, writeArchive } from './archive.ts';
import { connectEngine, imageId } from './engine.ts';
import { buildLayer, SUITE } from './rootfs.ts';
import { buildFromSlim, registryAnswers, SLIM_WHEELS } from './slim.ts';
import { unpackLayer } from './unpack.ts';
import { sha256 } from '../../host/sha256.ts';
import { writeJsonAtomically } from '../../host/files.ts';

export type ImageOptions = {
  readonly dockerHost: string | undefined;
  /** Holds the archive and the marker of the image in use. */
  readonly cacheDir: string;
  /** Path of evaluator-requirements.txt. */
  readonly requirements: string;
  readonly say: (line: string) => void;
};

type Marker = { readonly id: string; readonly recipe: string; readonly how: string };

/** Is raised by hand when the recipe itself changes. */
const RECIPE_VERSION = 2;

const recipeHash = async (requirements: string): Promise<string> => {
  const parts = [
    String(RECIPE_VERSION),
    SUITE,
    await readFile(requirements, 'utf8'),
    await readFile(SLIM_WHEELS, 'utf8'),
  ];
  return sha256(JSON.stringify(parts)).slice(0, 16);
};

const readMarker = async (file: string): Promise<Marker | null> =>
  readFile(file, 'utf8')
    .then((text) => JSON.parse(text) as Marker)
    .catch(() => null);

/** Other users may share the parts. */
const writeMarker = (file: string, marker: Marker): void => writeJsonAtomically(file, marker, 0o666);

const imageNamed = async (docker: Docker, name: string): Promise<string> => {
  const id = await imageId(docker, name);
  if (id === null)
    throw new Error(
      `EVOLVE_IMAGE names ${name}, and the Docker engine has no such image: load or pull it, or unset EVOLVE_IMAGE`,
    );
  return id;
};

const build = async (docker: Docker, options: ImageOptions, archive: string): Promise<{ id: string; how: string }> => {
  const workDir = join(options.cacheDir, `build-${process.pid}`);
  try {
    if (await registryAnswers(docker)) {
      options.say('evaluator image: building from python:3.12-slim (a public image registry answers)');
      try {
        return { id: await buildFromSlim(docker, { ...options, workDir }), how: 'built from python:3.12-slim' };
      } catch (error) {
        options.say(
          `evaluator image: the build failed (${(error as Error).message.split('\n')[0]}); trying the Debian recipe`,
        );
        await rm(workDir, { recursive: true, force: true });
      }
    }
    options.say(
      'evaluator image: building from Debian packages and PyPI wheels (no public image registry answers; about a minute)',
    );
    const layer = await buildLayer({ ...options, workDir });
    const id = await writeArchive(layer, archive);
    await loadArchive(docker, archive);
    return { id, how: 'built with mmdebstrap' };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
};

/**
 * Resolves to the image id (`sha256:...`) and a short text on where the image came from. Throws, with the fix, when
 * there is no way to get one.
 */
export const ensureImage = async (options: ImageOptions): Promise<{ id: string; how: string }> => {
  const docker = connectEngine(options.dockerHost);
  const name = process.env['EVOLVE_IMAGE'];
  if (name) return { id: await imageNamed(docker, name), how: `EVOLVE_IMAGE=${name}` };
  await mkdir(options.cacheDir, { recursive: true });
  const recipe = await recipeHash(options.requirements);
  const markerFile = join(options.cacheDir, 'image.json');
  const marker = await readMarker(markerFile);
  const current = marker?.recipe === recipe ? marker : null;
  if (current && (await imageId(docker, current.id)) !== null)
    return { id: current.id, how: `already loaded (${current.how})` };
  const archive = join(options.cacheDir, `evaluator-${recipe}.tar.zst`);
  if (current && existsSync(archive)) {
    await loadArchive(docker, archive);
    if ((await imageId(docker, current.id)) !== null) return { id: current.id, how: 'loaded from the cached archive' };
    options.say(`evaluator image: ${archive} does not hold ${tagOf(current.id)}; building again`);
  }
  const built = await build(docker, options, archive);
  if ((await imageId(docker, built.id)) === null)
    throw new Error(`the engine did not keep the image under its expected id ${built.id}`);
  writeMarker(markerFile, { ...built, recipe });
  return built;
};

/**
 * The folder of bubblewrap. Root starts candidates as nobody, who cannot enter a home or a clone that others
 * are kept from, so that for root it lies where every user may look. It holds no secret.
 */
const rootfsPlace = async (cacheDir: string): Promise<string> => {
  if (process.getuid?.() !== 0) return cacheDir;
  await mkdir(FOR_NOBODY, { recursive: true });
  await chmod(FOR_NOBODY, 0o755);
  return FOR_NOBODY;
};
const FOR_NOBODY = '/var/lib/durable-evolve';

/** The same files as a folder, for the fallback bubblewrap. It is built without a Docker engine. */
export const ensureRootfs = async (
  options: Omit<ImageOptions, 'dockerHost'>,
): Promise<{ path: string; id: string; how: string }> => {
  await mkdir(options.cacheDir, { recursive: true });
  const recipe = await recipeHash(options.requirements);
  const archive = join(options.cacheDir, `evaluator-${recipe}.tar.zst`);
  const markerFile = join(options.cacheDir, 'rootfs.json');
  const folderOf = async (id: string): Promise<string> =>
    join(await rootfsPlace(options.cacheDir), `rootfs-${recipe}-${id.replace(/^sha256:/, '').slice(0, 12)}`);
  const marker = await readMarker(markerFile);
  if (marker?.recipe === recipe && existsSync(await folderOf(marker.id)))
    return { path: await folderOf(marker.id), id: marker.id, how: `already there (${marker.how})` };
  const image = await readMarker(join(options.cacheDir, 'image.json'));
  let built =
    image?.recipe === recipe && existsSync(archive) ? { id: image.id, how: 'unpacked from the cached archive' } : null;
  if (!built) {
    const workDir = join(options.cacheDir, `build-${process.pid}`);
    options.say('evaluator image: building from Debian packages and PyPI wheels (about a minute)');
    try {
      built = {
        id: await writeArchive(await buildLayer({ ...options, workDir }), archive),
        how: 'built with mmdebstrap',
      };
    } finally {
      await rm(workDir, { recursive: true, force: true });
    }
  }
  const folder = await folderOf(built.id);
  if (!existsSync(folder)) await unpackLayer(archive, folder);
  writeMarker(markerFile, { ...built, recipe });
  return { path: folder, ...built };
};
