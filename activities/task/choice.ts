// The choices of a run within a task, applied to task.yaml as it is read: the variant of the instance, the initial
// program's file and the limits (evolution/task/task-choice.ts).
import { nearest } from '../../evolution/config/nearest.ts';
import type { InitialScore, Paper, Task, TaskLimits } from '../../evolution/task/task.ts';
import { LANGUAGES } from '../../evolution/task/languages.ts';
import { chosenLimits, type TaskChoice } from '../../evolution/task/task-choice.ts';
import { TaskError, type TaskFiles } from './task-files.ts';
import type { TaskFile } from './task-schema.ts';

const MIB = 1024 * 1024;

/** The setting that names a variant, a start or parts of advice which the task does not have. */
export class ChoiceError extends TaskError {
  readonly key: 'instance' | 'initial' | 'prompt.parts' | 'evaluation.packages';
  readonly problem: string;
  constructor(key: ChoiceError['key'], problem: string) {
    super(`${key}: ${problem}`);
    this.key = key;
    this.problem = problem;
  }
}

/** The path of the task's own initial program. */
export const initialFile = ({ evaluate, language = 'python' }: Pick<TaskFile, 'evaluate' | 'language'>): string =>
  evaluate?.program ?? `initial.${LANGUAGES[language].extension}`;

export type Chosen = {
  /** task.yaml with the variant's keys and the limits that hold in the place of the task's own. */
  readonly file: TaskFile;
  readonly limits: TaskLimits;
  /** Path of the initial program's file. */
  readonly initialPath: string;
  /** Its score on this instance, where task.yaml names it. */
  readonly initial: InitialScore | undefined;
  readonly chosen: Task['chosen'];
  /** The paper whose parts of advice are taken; undefined: the task's own. */
  readonly partsOf: Paper | undefined;
};

/** Throws ChoiceError with the names that the task has. */
export const chosenOf = (files: TaskFiles, whole: TaskFile, choice: TaskChoice): Chosen => {
  const file = withInstance(files, whole, choice.instance);
  const { kind, limits: own } = file;
  if (
    choice.packages !== null &&
    (whole.packages !== undefined || whole.image !== undefined || whole.language !== undefined)
  )
    throw new ChoiceError(
      'evaluation.packages',
      `expected null, since ${files.id} has ${whole.language === undefined ? 'packages or an image' : 'a language'} of its own, got ${choice.packages}`,
    );
  const start = choice.initial === null ? null : named(files, 'initial', whole.starts, choice.initial);
  const { file: path, what, fetch: _, ...score } = start ?? { file: initialFile(file), what: null, fetch: undefined };
  // The score of a start is known for the task's own instance only.
  const initial = start === null ? file.initial : choice.instance === null ? score : undefined;
  const names = { instance: choice.instance, initial: choice.initial };
  const limits = chosenLimits(
    kind,
    {
      cpuSeconds: own.cpuSeconds,
      wallSeconds: own.wallSeconds,
      memoryBytes: own.memoryMiB * MIB,
      outputBytes: Math.round(own.outputMiB * MIB),
      pids: own.pids,
      cores: own.cores,
      ...(own.compileSeconds === undefined ? {} : { compileSeconds: own.compileSeconds }),
    },
    choice.limits,
  );
  const { cpuSeconds, wallSeconds, memoryBytes, cores } = limits;
  return {
    file: {
      ...file,
      ...(choice.packages === null ? {} : { packages: choice.packages }),
      limits: { ...own, cpuSeconds, wallSeconds, memoryMiB: memoryBytes / MIB, cores },
    },
    limits,
    initialPath: path,
    initial: initial as InitialScore | undefined,
    partsOf: paperOf(whole, files.id, choice.parts),
    chosen: choice.instance === null && choice.initial === null ? undefined : { ...names, ...(what && { what }) },
  };
};

const paperOf = ({ paperParts }: TaskFile, id: string, wanted: TaskChoice['parts']): Paper | undefined => {
  const paper = wanted.find((one) => paperParts[one] !== undefined);
  if (wanted.length > 0 && paper === undefined)
    throw new ChoiceError(
      'prompt.parts',
      `expected ${['own', ...Object.keys(paperParts)].join(' or ')}, since ${id} has no other parts of advice, got ${wanted.length > 1 ? 'paper' : wanted[0]}`,
    );
  return paper;
};

const withInstance = (files: TaskFiles, file: TaskFile, name: string | null): TaskFile => {
  if (name === null) return file;
  const variant = named(files, 'instance', file.instances, name);
  return {
    ...file,
    instance: { ...file.instance, ...variant.instance },
    hidden: { ...file.hidden, ...variant.hidden },
    smoke: { ...file.smoke, ...variant.smoke },
    limits: { ...file.limits, ...defined(variant.limits) },
    values: { ...file.values, ...variant.values },
    data: variant.data ?? file.data,
    initial: variant.initial,
    bound: variant.bound,
    references: variant.references,
  };
};

const defined = <T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as never;

const named = <T>(
  { id }: TaskFiles,
  key: 'instance' | 'initial',
  known: { readonly [name: string]: T },
  name: string,
): T => {
  const found = Object.hasOwn(known, name) ? known[name] : undefined;
  if (found !== undefined) return found;
  const names = Object.keys(known);
  const near = nearest(name, names);
  const has = key === 'instance' ? 'variants of the instance' : 'named starts';
  throw new ChoiceError(
    key,
    names.length === 0
      ? `expected null, since ${id} has no ${has}, got ${name}`
      : `expected one of ${names.join(', ')}, or null, got ${name}${near === null ? '' : `; the nearest is ${near}`}`,
  );
};
