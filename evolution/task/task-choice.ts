// The choices of a run within its task: variant, start, limits, ranking score and parts of advice. Loaders of tasks apply
// them, so that models read the limits that the sandbox enforces and the score that ranks.
import type { RunConfig } from '../config/run-config.ts';
import type { PackageSet } from '../config/settings/package-sets.ts';
import { type Paper, PAPERS, type Task, type TaskLimits } from './task.ts';

export type TaskChoice = {
  /** The name of a variant in `instances` of task.yaml; null is the task's own instance. */
  readonly instance: string | null;
  /** The name of an initial program in `starts` of task.yaml; null is the task's own. */
  readonly initial: string | null;
  readonly limits: LimitsChoice;
  /** A named set of packages for programs and evaluator; null: what the task declares. */
  readonly packages: PackageSet | null;
  /** The score that ranks programs, of which texts tell. */
  readonly scoring: RunConfig['evaluation']['scoring'];
  /** The papers whose parts of advice are wanted, the first that the task has; empty: the task's own parts. */
  readonly parts: readonly Paper[];
};

/** Limits in place of the task's; null keeps the task's. */
type LimitsChoice = {
  readonly cpuSeconds: number | null;
  readonly memoryMiB: number | null;
  readonly cores: number | null;
  /** Seconds that programs are told to plan for; null: `timeLimitTold`. */
  readonly toldSeconds: number | null;
  /** False: a value above the task's changes nothing. */
  readonly raise: boolean;
};

/** The task as its folder has it. */
export const AS_IT_IS: TaskChoice = {
  instance: null,
  initial: null,
  limits: { cpuSeconds: null, memoryMiB: null, cores: null, toldSeconds: null, raise: true },
  packages: null,
  scoring: 'strict',
  parts: [],
};

export type Choosing = Pick<RunConfig, 'instance' | 'initial' | 'method'> & {
  readonly evaluation: Pick<RunConfig['evaluation'], 'cpuSeconds' | 'memoryMiB' | 'cores' | 'raiseLimits' | 'scoring'> &
    Partial<Pick<RunConfig['evaluation'], 'toldSeconds' | 'packages'>>;
  readonly prompt: Partial<Pick<RunConfig['prompt'], 'parts'>>;
};

/** The only way from settings to a choice. A run that an earlier version began lacks the settings with a value here. */
export const taskChoice = ({
  instance,
  initial,
  method,
  evaluation: { cpuSeconds, memoryMiB, cores, toldSeconds = null, packages = null, raiseLimits, scoring },
  prompt: { parts = 'own' },
}: Choosing): TaskChoice => ({
  instance,
  initial,
  limits: { cpuSeconds, memoryMiB, cores, toldSeconds, raise: raiseLimits },
  packages,
  scoring,
  parts: papersOf(parts, method),
});

/** `paper`: that of the method, else the first that the task has. */
const papersOf = (parts: RunConfig['prompt']['parts'], method: RunConfig['method']): readonly Paper[] => {
  if (parts === 'own') return [];
  if (parts !== 'paper') return [parts];
  const of = method === 'naive' ? 'code' : method;
  return PAPERS.toSorted((a, b) => Number(b === of) - Number(a === of));
};

/** The least wall clock in seconds. That of a function task counts the evaluator's work too. */
const LEAST_WALL = { solution: 10, function: 60, script: 60 } as const;

const MIB = 1024 * 1024;

/**
 * The limits that hold. With less CPU time the wall clock is three times that, with more it grows in proportion. What a
 * function task has beyond three times its CPU time belongs to the evaluator and stays.
 */
export const chosenLimits = (kind: Task['kind'], own: TaskLimits, choice: LimitsChoice): TaskLimits => {
  const within = (wanted: number | null, present: number): number =>
    wanted === null ? present : choice.raise ? wanted : Math.min(wanted, present);
  const cpuSeconds = within(choice.cpuSeconds, own.cpuSeconds);
  const evaluatorSeconds = kind === 'function' ? Math.max(0, own.wallSeconds - 3 * own.cpuSeconds) : 0;
  const wallSeconds =
    cpuSeconds < own.cpuSeconds
      ? Math.min(own.wallSeconds, Math.max(LEAST_WALL[kind], 3 * cpuSeconds + evaluatorSeconds))
      : Math.round((own.wallSeconds * cpuSeconds) / own.cpuSeconds);
  return {
    ...own,
    cpuSeconds,
    ...(choice.toldSeconds === null ? {} : { toldSeconds: Math.min(choice.toldSeconds, cpuSeconds) }),
    wallSeconds: cpuSeconds === own.cpuSeconds ? own.wallSeconds : wallSeconds,
    memoryBytes: within(choice.memoryMiB === null ? null : choice.memoryMiB * MIB, own.memoryBytes),
    cores: within(choice.cores, own.cores),
  };
};
