// Makes what a task brings beside the evaluator image, before anything starts: the locks beside its task.yaml, the
// copies of its data files, and its image.
import { closeSync, existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { GivenFileError, listGiven, openGiven } from '../../activities/given-file.ts';
import { folderOf, readTask, TASKS_ROOT } from '../../activities/task/load-task.ts';
import { readYaml } from '../../activities/task/reading.ts';
import { filesIn, TaskError, type TaskFiles } from '../../activities/task/task-files.ts';
import { type TaskFile, taskSchema } from '../../activities/task/task-schema.ts';
import { DATA_LOCK, declaredPackages, PACKAGES_LOCK, readWorld } from '../../activities/task/task-world.ts';
import { undeclaredProblem } from '../../activities/task/undeclared-imports.ts';
import { writeInside } from '../../deploy/host/files.ts';
import { readUp } from '../../deploy/supervisor/plan.ts';
import { lineOfPackage } from '../../evolution/task/requirements.ts';
import type { Task } from '../../evolution/task/task.ts';
import { lockedData, needsImage, type TaskWorld } from '../../evolution/task/task-world.ts';
import type { Place } from '../connect/connection.ts';
import { UsageError } from '../connect/errors.ts';

/** The container engine of this machine, and the evaluator image in it. */
export type EngineHere = { readonly dockerHost: string; readonly image: string };

export const engineHere = ({ home }: Place): EngineHere | null => {
  const { docker, image } = readUp(home) ?? {};
  return docker?.host && image?.id ? { dockerHost: docker.host, image: image.id } : null;
};

/** Without an engine, packages are locked for the Python of the evaluator image as `evolve up` makes it. */
const WITHOUT_ENGINE = { version: '3.11.2', installed: {} };

/** Writes the locks that the task lacks. A folder that holds no task is left to those who read it. */
export const lockWorld = async (place: Place, named: string, engine = engineHere(place)): Promise<void> => {
  const read = await readLocks(named).catch((error: unknown) => {
    if (error instanceof TaskError) return null;
    throw error;
  });
  if (read === null) return;
  const { folder, files, file, world } = read;
  if (world.data !== undefined) await lockData(place, read);
  if (world.lock !== null) return;
  const declared = (await declaredPackages(files, file))!;
  const [{ lockPackages, UnresolvedError }, { askImage }, { connectEngine }] = await Promise.all([
    import('../../deploy/images/task/lock-packages.ts'),
    import('../../deploy/images/task/ask-image.ts'),
    import('../../deploy/images/evaluator/engine.ts'),
  ]);
  const cacheDir = join(place.home.parts, 'image');
  const say = (line: string): void => place.say?.(`packages: ${line}`);
  say('looking for versions that fit together');
  try {
    const below = engine && (await imageOf(place, { ...world, lock: null }, engine));
    const python =
      engine && below ? await askImage(() => connectEngine(engine.dockerHost), below, cacheDir) : WITHOUT_ENGINE;
    const text = await lockPackages(declared, { python, cacheDir, say });
    writeInside(folder, PACKAGES_LOCK, text);
    say(`${lockedCount(text)} packages are locked in ${join(folder, PACKAGES_LOCK)}`);
  } catch (error) {
    if (!(error instanceof UnresolvedError)) throw usage(error);
    const line = error.package === null ? null : lineOfPackage(declared.text, error.package);
    throw new UsageError(`${declared.place}${line === null ? '' : `:${line}`}: ${error.message}`);
  }
};

const lockedCount = (text: string): number => text.split('\n').filter((line) => /^\w/.test(line)).length;

type Locks = {
  readonly folder: string;
  readonly files: TaskFiles;
  readonly file: TaskFile;
  readonly world: TaskWorld;
};

const readLocks = async (named: string): Promise<Locks | null> => {
  const folder = await folderOf(named);
  const { world } = await readTask(folder);
  if (world === undefined) return null;
  const files = filesIn(folder, TASKS_ROOT);
  return {
    folder,
    files,
    world,
    file: readYaml(files.place('task.yaml'), await files.text('task.yaml'), taskSchema),
  };
};

/** Brings the downloads of a task into its folder; what is there already is looked at. Throws UsageError. */
export const fetchDownloads = async (place: Place, named: string): Promise<readonly string[]> => {
  const { fetchFile } = await import('../../deploy/images/task/download.ts');
  try {
    const read = await readLocks(named);
    if (read === null) return [];
    for (const one of read.file.downloads)
      await fetchFile(one, { folder: read.folder, locks: place.home.parts, say: (line) => place.say?.(line) });
    return read.file.downloads.map((one) => one.file);
  } catch (error) {
    throw usage(error);
  }
};

const lockData = async (place: Place, { folder, files, file }: Locks): Promise<void> => {
  const fetched = file.downloads.map((one) => one.file);
  const lacking = fetched.find((path) => !existsSync(join(folder, path)));
  if (lacking !== undefined)
    throw new UsageError(`${join(folder, lacking)} is not here yet: \`npx evolve task fetch ${folder}\` brings it`);
  const { keepData, hashFile, roomFor } = await import('../../deploy/images/task/data-files.ts');
  try {
    const paths = file.dataFiles.flatMap((path) => below(folder, path)).filter((path) => !fetched.includes(path));
    const say = (line: string): void => place.say?.(`data: ${line}`);
    if (file.dataFiles.length > 0 && !files.has(DATA_LOCK)) {
      say(`taking the hashes of ${paths.length} files, ${await roomFor(place.home.root, folder, paths)} bytes`);
      const lines: string[] = [];
      for (const path of paths) lines.push(`${await hashFile(join(folder, path))}  ${path}\n`);
      writeInside(folder, DATA_LOCK, lines.join(''));
    }
    for (const path of fetched) below(folder, path);
    const lock = (await readWorld(files, file))!.data!;
    const locked = lockedData(lock.split('\n').slice(fetched.length).join('\n')).map(({ path }) => path);
    const other = [...paths, ...locked].find((path) => !paths.includes(path) || !locked.includes(path));
    if (other !== undefined)
      throw new Error(
        `${join(folder, DATA_LOCK)}: expected the files of dataFiles, and ${other} is in one of the two only: remove ${DATA_LOCK}`,
      );
    await keepData(place.home.root, lock, folder, say);
  } catch (error) {
    throw usage(error);
  }
};

/** The regular files that a path names: itself, or all below it. Throws where one is none, or leads out. */
const below = (folder: string, path: string): readonly string[] => {
  try {
    if (lstatSync(join(folder, path)).isDirectory())
      return [...listGiven(join(folder, path), folder)]
        .sort()
        .flatMap((name) => below(folder, `${path.replace(/\/$/, '')}/${name}`));
    closeSync(openGiven(join(folder, path), { maxBytes: Infinity, within: folder }));
    return [path];
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const why = error instanceof GivenFileError ? error.message : (error as NodeJS.ErrnoException).code;
    throw new UsageError(
      `${join(folder, path)}: expected a data file of the task (dataFiles), got ${why === 'ENOENT' ? 'no such file' : why}`,
    );
  }
};

const usage = (error: unknown): Error =>
  error instanceof UsageError ? error : new UsageError((error as Error).message);

const imageOf = async (place: Place, world: TaskWorld, engine: EngineHere): Promise<string> => {
  const { ensureTaskImage } = await import('../../deploy/images/task/task-image.ts');
  return ensureTaskImage(world, {
    dockerHost: engine.dockerHost,
    base: engine.image,
    home: place.home.hash,
    cacheDir: join(place.home.parts, 'image'),
    say: (line) => place.say?.(`image: ${line}`),
  });
};

/**
 * Builds the task's image where it is not there, and throws UsageError where a source imports what it does not have. The
 * worker does the first on hosts without an engine.
 */
export const makeWorld = async (place: Place, task: Task, named: string, engine = engineHere(place)): Promise<void> => {
  if (engine === null) return;
  try {
    const image = needsImage(task.world) ? await imageOf(place, task.world!, engine) : engine.image;
    const { askImage } = await import('../../deploy/images/task/ask-image.ts');
    // Its client is loaded where the answer is not known yet.
    const connected = async () =>
      (await import('../../deploy/images/evaluator/engine.ts')).connectEngine(engine.dockerHost);
    const { modules } = await askImage(connected, image, join(place.home.parts, 'image'));
    const beside = readdirSync(await folderOf(named)).map((name) => name.replace(/\.py$/, ''));
    const problem = undeclaredProblem(task, new Set([...modules, ...beside]));
    if (problem !== null) throw new UsageError(`${named}: ${problem}`);
  } catch (error) {
    throw usage(error);
  }
};
