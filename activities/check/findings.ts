// The inputs and findings of a check of a task. This file is the one to read first.
import type { Evaluation } from '../../evolution/scoring/evaluation.ts';
import { gainOver } from '../../evolution/scoring/ranking.ts';
import type { Task } from '../../evolution/task/task.ts';
import type { Scorer } from '../sandbox/contract/types.ts';
import type { EvaluationJob, Evaluator } from '../sandbox/host/evaluator.ts';

/** The parts of a check in the order in which they run. */
export const CHECK_PARTS = ['files', 'golden', 'honest', 'gold', 'initial', 'cheats'] as const;
export type CheckPart = (typeof CHECK_PARTS)[number];

/** The folders of tasks/cheats, and the task's own. */
const CHEAT_KINDS = ['solution', 'containment', 'function', 'own'] as const;
export type CheatKind = (typeof CHEAT_KINDS)[number];

/** One thing that was looked at. */
export type Finding = { readonly task: string; readonly check: string; readonly ok: boolean; readonly detail: string };

/** Runs and scores programs of one task, on one level of isolation. */
export type Bench = { readonly evaluator: Evaluator; readonly scorer: Pick<Scorer, 'score'>; close(): Promise<void> };

/**
 * Makes a bench. The task may differ from the folder's in limits, instance or evaluator, where the check needs that.
 */
export type MakeBench = (task: Task) => Bench;

export type CheckOptions = {
  readonly bench: MakeBench;
  /** All parts where it is left out. */
  readonly parts?: readonly CheckPart[] | undefined;
  /** All that apply to the task's kind where it is left out. */
  readonly kinds?: readonly CheatKind[] | undefined;
  /** Initial programs run in full, even where task.yaml offers a quick run. */
  readonly full?: boolean | undefined;
  /** False: golden cases that run a program are left out. */
  readonly goldenPrograms?: boolean | undefined;
  /** So many cheats of each kind, drawn by the seed. All of them where it is left out. */
  readonly sample?: { readonly count: number; readonly seed: number } | undefined;
  /** Number of programs evaluated at a time; the default is 2. */
  readonly concurrency?: number | undefined;
  /**
   * A broken program, and changes of the initial one. Left out, nobody looks at whether the score depends on the program.
   */
  readonly changes?: ((task: Task) => { readonly broken: string; readonly mutants: readonly string[] }) | undefined;
  readonly say?: ((finding: Finding) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The folder of all tasks, with the library and the common cheats. */
  readonly root?: string | undefined;
};

/** The inputs of a part of the check. */
export type Context = {
  readonly task: Task;
  readonly folder: string;
  readonly root: string;
  readonly options: CheckOptions;
  readonly signal: AbortSignal;
  /**
   * The bench of the task as it is, or of the given variant. It is made when first asked for, and closed at the end of
   * the check.
   */
  bench(task?: Task): Bench;
  note(check: string, ok: boolean, detail: string): void;
};

type Trial = Pick<EvaluationJob, 'key' | 'code' | 'seed' | 'acceptSavedOnTimeout'>;

/** Evaluates a program of the task, or of a variant of it. */
export const evaluated = ({ bench, signal }: Context, task: Task, { key, ...trial }: Trial): Promise<Evaluation> =>
  bench(task).evaluator.evaluate({ key: `${task.id}:${key}`, run: 'check', ...trial, scoring: 'tolerant' }, signal);

/** Deterministic scores match to 1e-12 (docs/tasks.md, Fixtures). */
export const RELATIVE = 1e-12;

/**
 * Equal within `tolerance` of the expected value's size. Around zero, equal within `tolerance` itself where one is
 * given.
 */
export const near = (got: number, expected: number, tolerance = RELATIVE): boolean =>
  Math.abs(got - expected) <= tolerance * (tolerance > RELATIVE ? Math.max(1, Math.abs(expected)) : Math.abs(expected));

/** Beside an initial score of 0 not even the smallest doubles count as a gain. */
export const better = ({ direction }: Pick<Task, 'direction'>, a: number, b: number): boolean =>
  gainOver(direction, a, b) > RELATIVE * Math.max(Math.abs(a), Math.abs(b), RELATIVE);

/** The better end of what the initial program scores, or null where task.yaml says nothing. */
export const initialAtBest = ({ direction, initial }: Task): number | null =>
  initial?.score ?? (initial?.band ? initial.band[direction === 'maximise' ? 1 : 0] : null);

export const within = (value: number, [low, high]: readonly [number, number]): boolean => value >= low && value <= high;

/** The result of an evaluation in one line. */
export const told = (result: Pick<Evaluation, 'outcome' | 'execution' | 'score' | 'strictScore' | 'reasons'>): string =>
  result.outcome === 'valid'
    ? `valid, ${result.score}${result.strictScore === result.score ? '' : ` (strict ${result.strictScore})`}`
    : `${result.outcome}, ${result.execution}: ${result.reasons[0] ?? 'no reason given'}`;
