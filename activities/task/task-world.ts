// Reads what a task declares of its packages, image and data files, with the locks that lie beside task.yaml. A lock that
// was made for other packages counts as none.
import { requirementProblems } from '../../evolution/task/requirements.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PACKAGE_SETS, type PackageSet } from '../../evolution/config/settings/package-sets.ts';
import { isLock, type TaskWorld } from '../../evolution/task/task-world.ts';
import { createRedactor } from '../llm/transport/redact.ts';
import { sha256 } from '../sha256.ts';
import { shellVariable, TaskError, type TaskFiles } from './task-files.ts';
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

type Declares = Pick<TaskFile, 'packages' | 'image' | 'language' | 'dataFiles' | 'downloads' | 'env'>;

/** Throws TaskError with file and line of what no lock can be made of. Null where the task declares no packages. */
export const declaredPackages = async (
  files: TaskFiles,
  { packages }: Pick<TaskFile, 'packages'>,
): Promise<DeclaredPackages | null> => {
  if (packages === undefined || isSet(packages)) return null;
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
  const { language = 'python', image } = file;
  const own = {
    ...(language === 'python' ? {} : { language }),
    ...(image === undefined ? {} : await imageOf(files, image)),
  };
  const lock =
    declared !== null
      ? { lock: await heldLock(files, declared) }
      : isSet(file.packages)
        ? { set: file.packages, lock: await lockOfSet(file.packages) }
        : {};
  const world = { ...own, ...lock, ...(await dataOf(files, file)), ...(await environmentIn(files, file)) };
  return Object.keys(world).length === 0 ? undefined : world;
};

const isSet = (packages: TaskFile['packages']): packages is PackageSet =>
  typeof packages === 'string' && Object.hasOwn(PACKAGE_SETS, packages);

/** The text of the lock of a set, which ships with us. */
export const lockOfSet = (set: PackageSet): Promise<string> =>
  readFile(join(import.meta.dirname, '..', '..', 'tasks', 'packages', `${set}.lock`), 'utf8');

const imageOf = async (files: TaskFiles, image: string): Promise<TaskWorld> =>
  image === DOCKERFILE ? { dockerfile: await files.text(DOCKERFILE) } : { image };

/** Downloads are locked by task.yaml itself. */
const dataOf = async (files: TaskFiles, { dataFiles, downloads }: Declares): Promise<TaskWorld> => {
  if (dataFiles.length + downloads.length === 0) return {};
  const fetched = downloads.map(({ sha256: hash, file }) => `${hash}  ${file}\n`).join('');
  if (dataFiles.length === 0) return { data: fetched };
  return { data: files.has(DATA_LOCK) ? fetched + (await files.text(DATA_LOCK)) : null };
};

const NAME = /^[A-Za-z_]\w{0,99}$/;
/** The sandbox itself sets these, or they change what runs a program. */
const OURS = /^(?:PATH|HOME|TMPDIR|(?:PYTHON|LD_|OPENAI_).*)$/;
const SECRET = /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH)(?:_|$)/i;
const LONGEST_VALUE = 4_096;
const redactor = createRedactor([]);

const environmentIn = async (files: TaskFiles, { env }: Declares): Promise<TaskWorld> => {
  if (env === undefined) return {};
  const values: { [name: string]: string } = {};
  for (const [name, said] of Object.entries(env)) {
    const wrong = (text: string): never => {
      throw new TaskError(`${files.place('task.yaml')}: env: ${name.slice(0, 100)}: ${text}`);
    };
    if (!NAME.test(name)) wrong('expected the name of an environment variable');
    if (OURS.test(name)) wrong('expected another name, the sandbox sets this one');
    // A wrong name is refused before its value is looked up.
    const value = SECRET.test(name) ? null : (said ?? (await files.text(shellVariable(name))));
    if (value === null || redactor.report(value) !== value.toWellFormed())
      return wrong('expected no key or password: values are kept with the run, and every program can read them');
    if (value.length > LONGEST_VALUE || value.includes('\0'))
      wrong(`expected a text of at most ${LONGEST_VALUE} characters without NUL`);
    values[name] = value;
  }
  return { env: values };
};

const heldLock = async (files: TaskFiles, { head }: DeclaredPackages): Promise<string | null> => {
  const lock = files.has(PACKAGES_LOCK) ? await files.text(PACKAGES_LOCK) : '';
  return isLock(lock) && lock.split('\n', 1)[0]!.endsWith(head) ? lock : null;
};

/** The lock that a run needs and the task lacks; null where everything that the task declares is locked. */
export const unlockedProblem = ({ lock, data }: TaskWorld = {}): string | null =>
  lock === null
    ? `${PACKAGES_LOCK}: expected the versions and hashes of its packages: \`npx evolve task score <folder>\` writes them`
    : data === null
      ? `${DATA_LOCK}: expected the hashes of its data files: \`npx evolve task score <folder>\` writes them`
      : null;
