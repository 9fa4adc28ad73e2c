// What a check of a task is given and what it finds. Read this first; check-task.ts puts the parts together.
import type { Task } from '../../evolution/task.ts';
import type { Evaluator } from '../sandbox/evaluate.ts';
import type { Scorer } from '../sandbox/types.ts';

/** In the order in which they run. */
export const CHECK_PARTS = ['files', 'golden', 'honest', 'gold', 'initial', 'cheats'] as const;
export type CheckPart = (typeof CHECK_PARTS)[number];

/** Folders of tasks/cheats, and the task's own. */
export const CHEAT_KINDS = ['solution', 'containment', 'function', 'own'] as const;
export type CheatKind = (typeof CHEAT_KINDS)[number];

/** One thing that was looked at. */
export type Finding = { readonly task: string; readonly check: string; readonly ok: boolean; readonly detail: string };

/** Runs and scores programs of one task, on one level of isolation. */
export type Bench = { readonly evaluator: Evaluator; readonly scorer: Pick<Scorer, 'score'>; close(): Promise<void> };

/** Makes a bench; the task differs from the folder's in its limits, its instance or its evaluator where the check needs that. */
export type MakeBench = (task: Task) => Bench;

export type CheckOptions = {
  readonly bench: MakeBench;
  /** Default: all. */
  readonly parts?: readonly CheckPart[] | undefined;
  /** Default: all that apply to the task's kind. */
  readonly kinds?: readonly CheatKind[] | undefined;
  /** Initial programs run in full, also where task.yaml offers a quick run. */
  readonly full?: boolean | undefined;
  /** So many cheats of each kind, drawn by the seed; default all. */
  readonly sample?: { readonly count: number; readonly seed: number } | undefined;
  /** Programs evaluated at a time; default 2. */
  readonly concurrency?: number | undefined;
  readonly say?: ((finding: Finding) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The folder of all tasks, with the library and the common cheats. */
  readonly root?: string | undefined;
};

/** What a part of the check works with. */
export type Context = {
  readonly task: Task;
  readonly folder: string;
  readonly root: string;
  readonly options: CheckOptions;
  readonly signal: AbortSignal;
  /** The bench of the task as it is; made when first asked for, closed by check-task.ts. */
  bench(task?: Task): Bench;
  note(check: string, ok: boolean, detail: string): void;
};
