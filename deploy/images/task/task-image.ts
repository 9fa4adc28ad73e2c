// The image in which the programs of a task run: the toolchain of its language, and packages, hash-locked, on top of the
// evaluator's image or of one of the person's own. It is built once for each content, and each home that uses it has a tag on it.
import type Docker from 'dockerode';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  isLock,
  lockedPackages,
  packageName,
  pythonOfLock,
  type TaskWorld,
} from '../../../evolution/task/task-world.ts';
import { withLock } from '../../host/lock.ts';
import { runCommand } from '../../host/run-command.ts';
import { sha256 } from '../../host/sha256.ts';
import { type Toolchain, toolchainOf, lacksTool, toolOf } from '../../../evolution/task/languages.ts';
import { buildImage, connectEngine, imageId, nameOf } from '../evaluator/engine.ts';
import { buildPackages } from '../evaluator/rootfs.ts';
import { findPip, wheelsFor } from '../evaluator/wheels.ts';
import { askImage, type ImagePython, shortPython } from './ask-image.ts';
import { bounded } from './bounded.ts';

const REPOSITORY = 'durable-evolve-task';
const PACKAGES = '/opt/evolve/packages';
const MINUTES = 30;

export type TaskImageOptions = {
  readonly dockerHost: string | undefined;
  /** Id of the evaluator image; a task's own takes its place. */
  readonly base: string;
  /** Short hash of the home; names its tags. */
  readonly home: string;
  /** The folder of image archives, wheels and locks, which homes share. */
  readonly cacheDir: string;
  readonly say: (line: string) => void;
  /** A build ends after them; left out it is half an hour. */
  readonly minutes?: number;
};

type Debian = { readonly packages: readonly string[]; readonly copied: Toolchain['copied'] };
type Parts = Pick<TaskWorld, 'language' | 'image' | 'dockerfile' | 'lock'>;

/** Names the content, so that two tasks that want the same have one image. `below` is the id of what it stands on. */
const keyOf = (below: string, world: Parts): string => {
  const { dockerfile, lock } = world;
  const toolchain = toolchainFor(world);
  const parts = [
    dockerfile ?? below,
    lock?.split('\n').slice(1) ?? null,
    ...(toolchain === null ? [] : [[...toolchain.packages, ...(toolchain.copied ?? [])]]),
  ];
  return sha256(JSON.stringify(parts)).slice(0, 12);
};

/** Debian packages that the evaluator image gets; an image of the person's own has what it needs. */
const toolchainFor = ({ language, image, dockerfile }: Parts): Debian | null => {
  const { packages = null, copied } = toolchainOf(language) ?? {};
  return image === undefined && dockerfile === undefined && packages !== null ? { packages, copied } : null;
};

const tagOf = (key: string, home: string): string => `${REPOSITORY}:${key}-${home}`;

/** The image's id, once it is there. Other processes that want it meanwhile wait. Throws with what to do. */
export const ensureTaskImage = async (world: Parts, options: TaskImageOptions): Promise<string> => {
  try {
    const id = await makeTaskImage(world, options);
    await checkTool(world, id, options);
    return id;
  } catch (error) {
    if (
      await connectEngine(options.dockerHost)
        .ping()
        .catch(() => null)
    )
      throw error;
    throw new Error(
      `the container engine at ${options.dockerHost ?? 'its usual socket'} does not answer: start it (\`npx evolve up\`) and give the command again`,
    );
  }
};

const checkTool = async (
  { language }: Parts,
  id: string,
  { dockerHost, cacheDir }: TaskImageOptions,
): Promise<void> => {
  const toolchain = toolchainOf(language);
  if (toolchain === undefined) return;
  const { tools } = await askImage(() => connectEngine(dockerHost), id, cacheDir);
  const tool = toolOf(toolchain);
  if (!tools.includes(tool)) throw new Error(lacksTool(language!, tool));
};

const makeTaskImage = async (world: Parts, options: TaskImageOptions): Promise<string> => {
  const { dockerHost, home, cacheDir, say } = options;
  const { image, dockerfile, lock } = world;
  const docker = connectEngine(dockerHost);
  const below =
    image !== undefined
      ? await namedImage(docker, image)
      : dockerfile !== undefined && lock != null
        ? await makeTaskImage({ dockerfile }, options)
        : options.base;
  if (dockerfile === undefined && lock == null && toolchainFor(world) === null) return below;
  const key = keyOf(below, world);
  await mkdir(cacheDir, { recursive: true });
  return (
    (await found(docker, key, home)) ??
    withLock(
      join(cacheDir, `task-${key}.lock`),
      { timeoutMs: MINUTES * 60_000, waiting: (pid) => say(`waiting for process ${pid}, which makes the image`) },
      async () => (await found(docker, key, home)) ?? new Build(docker, key, { ...options, base: below }).run(world),
    )
  );
};

const namedImage = async (docker: Docker, name: string): Promise<string> => {
  const id = await imageId(docker, name);
  if (id === null)
    throw new Error(
      `the container engine has no image ${name}, which task.yaml names (image:): \`docker pull ${name}\` or \`docker load\` brings it`,
    );
  return id;
};

/** An image that another home made gets a tag of this one, so that it stays when that one removes its own. */
const found = async (docker: Docker, key: string, home: string): Promise<string | null> => {
  const [image] = await docker.listImages({ filters: JSON.stringify({ label: [`evolve.task-image=${key}`] }) });
  if (image === undefined) return null;
  const tag = tagOf(key, home);
  if (!image.RepoTags?.includes(tag))
    await docker.getImage(image.Id).tag({ repo: REPOSITORY, tag: tag.split(':')[1]! });
  return image.Id;
};

class Build {
  readonly #docker: Docker;
  readonly #key: string;
  readonly #options: TaskImageOptions;
  readonly #folder: string;
  constructor(docker: Docker, key: string, options: TaskImageOptions) {
    this.#docker = docker;
    this.#key = key;
    this.#options = options;
    this.#folder = join(options.cacheDir, `task-${key}`);
  }

  /** What an earlier attempt that was killed has left is removed first. */
  async run(world: Parts): Promise<string> {
    await rm(this.#folder, { recursive: true, force: true });
    await mkdir(this.#folder, { recursive: true });
    const what = `building the image of ${world.dockerfile !== undefined && world.lock == null ? 'the Dockerfile' : 'the packages'}`;
    try {
      // The engine may be on another machine.
      const { DockerRootDir: root } = (await this.#docker.info()) as { readonly DockerRootDir: string };
      const folders = [this.#folder, root].filter((folder) => existsSync(folder));
      const minutes = this.#options.minutes ?? MINUTES;
      return await bounded({ what, folders, minutes }, (signal) => this.#build(world, signal));
    } finally {
      await rm(this.#folder, { recursive: true, force: true });
    }
  }

  async #build(world: Parts, signal: AbortSignal): Promise<string> {
    const { dockerfile, lock } = world;
    const { base, home, say, cacheDir } = this.#options;
    const started = performance.now();
    const toolchain = toolchainFor(world);
    let text = dockerfile ?? '';
    let network = false;
    if (dockerfile !== undefined && lock == null) say('building the image of the Dockerfile');
    else {
      const python = await askImage(() => this.#docker, base, cacheDir);
      const tools = toolchain === null ? [] : await this.#toolchain(python, toolchain);
      const packages = lock == null ? [] : await this.#layer(python, lock, signal);
      if (tools.length + packages.length === 0) return base;
      network = tools.some((line) => line.startsWith('RUN'));
      text = [`FROM ${await nameOf(this.#docker, base)}`, 'USER 0', ...tools, ...packages, ''].join('\n');
    }
    await writeFile(join(this.#folder, 'Dockerfile'), text);
    const id = await buildImage(this.#docker, {
      ...{ folder: this.#folder, tag: tagOf(this.#key, home), signal },
      ...(network ? { network: 'default' } : {}),
      labels: { 'evolve.image': 'task', 'evolve.task-image': this.#key },
    });
    say(`made in ${Math.round((performance.now() - started) / 1000)} s`);
    return id;
  }

  /** By the image's own package manager, else from the mirror of this machine. */
  async #toolchain({ tools }: ImagePython, { packages, copied }: Debian): Promise<readonly string[]> {
    const { say } = this.#options;
    say(`adding ${packages.join(', ')} of Debian to the evaluator image`);
    if (tools.includes('apt-get')) {
      const install = `apt-get install -y --no-install-recommends ${packages.join(' ')}`;
      return [`RUN apt-get update && ${install} && rm -rf /var/lib/apt/lists`];
    }
    await buildPackages(packages, { workDir: this.#folder, say }, copied);
    return ['ADD layer.tar /'];
  }

  /** The packages that the image below lacks, and the file that tells its Python where they are; empty for none. */
  async #layer(python: ImagePython, lock: string, signal: AbortSignal): Promise<readonly string[]> {
    const { say } = this.#options;
    if (!isLock(lock))
      throw new Error('requirements.lock: expected versions and wheels with their hashes alone: remove it');
    const wanted = pythonOfLock(lock);
    if (wanted !== shortPython(python))
      throw new Error(
        `requirements.lock is for Python ${wanted} and the image of this host has ${python.version}: run its programs on hosts with the same image, or remove the lock`,
      );
    const has = new Map(Object.entries(python.installed).map(([name, version]) => [packageName(name), version]));
    const lacking = lockedPackages(lock).filter(({ name, version }) => has.get(name) !== version);
    if (lacking.length === 0) return [];
    const names = lacking.map(({ name, version }) => `${name} ${version}`);
    say(
      `adding ${names.length} packages to the evaluator image: ${names.slice(0, 8).join(', ')}${names.length > 8 ? ', ...' : ''}`,
    );
    const options = lock.split('\n').filter((line) => line.startsWith('--'));
    await writeFile(
      join(this.#folder, 'requirements.txt'),
      [...options, ...lacking.map(({ line }) => line), ''].join('\n'),
    );
    await mkdir(join(this.#folder, 'packages'), { recursive: true });
    await this.#install(shortPython(python), signal);
    // Before the image's own packages, so that another version of one of them is the one that is imported.
    await writeFile(
      join(this.#folder, 'evolve.pth'),
      `import sys; sys.path.insert(max(0, len(sys.path) - 1), "${PACKAGES}")\n`,
    );
    const compile = `import compileall, py_compile; compileall.compile_dir("${PACKAGES}", quiet=2, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)`;
    return [
      `COPY packages ${PACKAGES}`,
      `COPY evolve.pth ${python.site}/`,
      `RUN ${JSON.stringify(['python3', '-c', compile])}`,
    ];
  }

  /** From the wheels that are here already, without a network; else they are fetched first. */
  async #install(version: string, signal: AbortSignal): Promise<void> {
    const wheels = join(this.#options.cacheDir, 'wheels');
    await mkdir(wheels, { recursive: true });
    const python = await findPip(this.#options.cacheDir, this.#options.say);
    const locked = ['--no-deps', '--require-hashes', '--requirement', join(this.#folder, 'requirements.txt')];
    const pip = (args: readonly string[]) =>
      runCommand(python, ['-I', '-m', 'pip', ...args, ...wheelsFor(version), ...locked], { signal });
    const offline = ['--no-index', '--find-links', wheels];
    const install = () =>
      pip(['install', '--no-compile', '--upgrade', '--target', join(this.#folder, 'packages'), ...offline]);
    if ((await install()).ok) return;
    const fetched = await pip(['download', '--dest', wheels]);
    signal.throwIfAborted();
    const installed = fetched.ok ? await install() : fetched;
    signal.throwIfAborted();
    if (!installed.ok)
      throw new Error(`the packages in requirements.lock cannot be had here: ${installed.error.split('\n').at(-1)}`);
  }
}

export type KeptImage = { readonly tag: string; readonly bytes: number };

/** The images that this home has a tag on, and none of these tasks needs. */
export const unneededImages = async (
  worlds: readonly Parts[],
  { dockerHost, base, home }: Pick<TaskImageOptions, 'dockerHost' | 'base' | 'home'>,
): Promise<readonly KeptImage[]> => {
  const docker = connectEngine(dockerHost);
  const keys = new Set<string>();
  for (const world of worlds) {
    const below = world.image === undefined ? base : await imageId(docker, world.image);
    for (const lock of [null, world.lock]) keys.add(keyOf(below ?? '', { ...world, lock: lock ?? null }));
  }
  const images = await docker.listImages({ filters: JSON.stringify({ label: ['evolve.image=task'] }) });
  return images.flatMap(({ RepoTags: tags, Size: bytes }) =>
    (tags ?? []).flatMap((tag) => {
      const [, key, whose] = /^durable-evolve-task:([0-9a-f]{12})-([0-9a-f]{12})$/.exec(tag) ?? [];
      return key === undefined || whose !== home || keys.has(key) ? [] : [{ tag, bytes }];
    }),
  );
};

/** Removes the tag; the image goes with its last one. One that a container runs from stays. */
export const removeTaskImage = async (dockerHost: string | undefined, tag: string): Promise<void> => {
  await connectEngine(dockerHost)
    .getImage(tag)
    .remove()
    .catch((error: unknown) => {
      if (![404, 409].includes((error as { statusCode?: number }).statusCode ?? 0)) throw error;
    });
};
