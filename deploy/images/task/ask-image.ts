// What an image has: the version of its Python, where its packages are, which modules can be imported, and compilers.
import type Docker from 'dockerode';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { LANGUAGE_NAMES, TOOL_PATH, toolchainOf, toolOf } from '../../../evolution/task/languages.ts';
import { readJsonOrNull, writeJsonAtomically } from '../../host/files.ts';

export type ImagePython = {
  /** As in 3.11.2. */
  readonly version: string;
  /** The folder whose .pth files Python reads. */
  readonly site: string;
  /** Versions of the packages by their names. */
  readonly installed: { readonly [name: string]: string };
  /** Those of the tools that tasks may need which it has. */
  readonly tools: readonly string[];
  /** Everything that a program can import, by its first name. */
  readonly modules: readonly string[];
};

/** As in 3.11. */
export const shortPython = ({ version }: Pick<ImagePython, 'version'>): string =>
  version.split('.').slice(0, 2).join('.');

const TOOLS = ['apt-get', ...LANGUAGE_NAMES.flatMap((name) => toolchainOf(name) ?? []).map(toolOf)];

const PROBE = `
import importlib.metadata, json, os, pkgutil, shutil, sys
print(json.dumps({
    "version": "%d.%d.%d" % sys.version_info[:3],
    "site": next(path for path in sys.path if path.endswith("-packages") and path.startswith("/usr/local" if sys.prefix == "/usr" else sys.prefix)),
    "installed": {found.metadata["Name"]: found.version for found in importlib.metadata.distributions()},
    "tools": [tool for tool in ${JSON.stringify(TOOLS)} if shutil.which(tool, path="${TOOL_PATH}")],
    "modules": sorted({*sys.stdlib_module_names, *(module.name for module in pkgutil.iter_modules())}),
}))`;

const MOST_MS = 120_000;
const MOST_BYTES = 4 * 2 ** 20;
const MEMORY_BYTES = 2 ** 30;

/** `image` is an id. The answer is kept in `cacheDir`. Throws with what the image lacks. */
export const askImage = async (
  engine: () => Docker | Promise<Docker>,
  image: string,
  cacheDir: string,
): Promise<ImagePython> => {
  const file = join(cacheDir, `image-${image.replace(/^sha256:/, '').slice(0, 12)}.json`);
  const known = readJsonOrNull<ImagePython>(file);
  if (known !== null) return known;
  const said: Buffer[] = [];
  let bytes = 0;
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      // An image may print anything, for as long as it likes.
      bytes += chunk.length;
      if (bytes <= MOST_BYTES) said.push(chunk);
      done();
    },
  });
  const name = `evolve-ask-${randomBytes(6).toString('hex')}`;
  const options = {
    ...{ name, Entrypoint: [], Tty: true, Labels: { 'evolve.image': 'ask' } },
    HostConfig: {
      NetworkMode: 'none',
      Memory: MEMORY_BYTES,
      MemorySwap: MEMORY_BYTES,
      PidsLimit: 64,
    },
  };
  try {
    const command = ['python3', '-s', '-P', '-c', PROBE];
    const docker = await engine();
    const late = sleep(MOST_MS, null, { ref: false }).then(() => {
      throw new Error(`no answer within ${MOST_MS / 1000} s`);
    });
    try {
      await Promise.race([docker.run(image, command, output, options), late]);
    } finally {
      await docker
        .getContainer(name)
        .remove({ force: true })
        .catch(() => undefined);
    }
    const answer = JSON.parse(Buffer.concat(said).toString('utf8')) as ImagePython;
    if (!/^\/[\w./-]+$/.test(answer.site)) throw new Error('its packages are in no folder that can be named');
    mkdirSync(cacheDir, { recursive: true });
    writeJsonAtomically(file, answer, 0o666);
    return answer;
  } catch (error) {
    const text = Buffer.concat(said).toString('utf8').trim();
    throw new Error(
      `the image ${image.slice(0, 19)} does not run python3 -s -P (${(text || (error as Error).message).split('\n').at(-1)}): expected one with Python 3.11 or newer`,
      { cause: error },
    );
  }
};
