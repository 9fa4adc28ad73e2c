// Reads what a task declares of its packages, image and data files, with the locks that lie beside task.yaml. A lock that
// was made for other packages counts as none.
import { requirementProblems } from '../../evolution/task/requirements.ts';
import { isLock, type TaskWorld } from '../../evolution/task/task-world.ts';
import { sha256 } from '../sha256.ts';
import { TaskError, type TaskFiles } from './task-files.ts';
import type { TaskFile } from './task-schema.ts';

export const PACKAGES_LOCK = 'requirements.lock';
export const DATA_LOCK = 'data.lock';
const PROJECT = 'pyproject.toml';
const UV_LOCK = 'uv.lock';
const DOCKERFILE = 'Dockerfile';

export type DeclaredPackages = {
  /** The file that names them, as messages name it. */
  readonly place: string;
  /** Requirements as pip reads them; the text of pyproject.toml where `project` is true. */
  readonly text: string;
  readonly project: boolean;
  /** The text of uv.lock; empty where there is none. */
  readonly uvLock: string;
  /** The first line of a lock of these packages, behind its version of Python. */
  readonly head: string;
};

type Declares = Pick<TaskFile, 'packages' | 'image' | 'dataFiles'>;

/** Throws TaskError with file and line of what no lock can be made of. Null where the task declares no packages. */
export const declaredPackages = async (
  files: TaskFiles,
  { packages }: Pick<TaskFile, 'packages'>,
): Promise<DeclaredPackages | null> => {
  if (packages === undefined) return null;
  const listed = typeof packages !== 'string';
  const project = packages === PROJECT;
  const text = listed ? packages.join('\n') : await files.text(packages);
  const uvLock = project && files.has(UV_LOCK) ? await files.text(UV_LOCK) : '';
  const place = listed ? `${files.place('task.yaml')}: packages` : files.place(packages);
  const problems = project ? [] : requirementProblems(text).map(({ line, problem }) => `${place}:${line}: ${problem}`);
  if (problems.length > 0) throw new TaskError(problems.join('\n'));
  const head = `of ${sha256(`${text}\0${uvLock}`).slice(0, 16)}: \`evolve\` made this; remove it to look for newer versions`;
  return { place, text, project, uvLock, head };
};

/** Undefined where the task has nothing beside the evaluator image. */
export const readWorld = async (files: TaskFiles, file: Declares): Promise<TaskWorld | undefined> => {
  const declared = await declaredPackages(files, file);
  const own = file.image === undefined ? {} : await imageOf(files, file.image);
  const lock = declared === null ? {} : { lock: await heldLock(files, declared) };
  const data = file.dataFiles.length === 0 ? {} : { data: files.has(DATA_LOCK) ? await files.text(DATA_LOCK) : null };
  const world = { ...own, ...lock, ...data };
  return Object.keys(world).length === 0 ? undefined : world;
};

const imageOf = async (files: TaskFiles, image: string): Promise<TaskWorld> =>
  image === DOCKERFILE ? { dockerfile: await files.text(DOCKERFILE) } : { image };

const heldLock = async (files: TaskFiles, { head }: DeclaredPackages): Promise<string | null> => {
  const lock = files.has(PACKAGES_LOCK) ? await files.text(PACKAGES_LOCK) : '';
  return isLock(lock) && lock.split('\n', 1)[0]!.endsWith(head) ? lock : null;
};

/** What a run cannot be started with; null where everything that it declares is locked. */
export const unlockedProblem = ({ lock, data }: TaskWorld = {}): string | null =>
  lock === null
    ? `${PACKAGES_LOCK}: expected the versions and hashes of its packages: \`npx evolve task score <folder>\` writes them`
    : data === null
      ? `${DATA_LOCK}: expected the hashes of its data files: \`npx evolve task score <folder>\` writes them`
      : null;
