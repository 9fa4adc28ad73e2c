// What the settings of a run must fit of its task. Pure; asked by the CLI before a run exists, and by the activity that opens it.
import type { Task } from '../task.ts';
import type { RunConfig } from './run-config.ts';

/** Levels that run Python only (activities/sandbox/confined-sandbox.ts). */
const PYTHON_ONLY: readonly RunConfig['evaluation']['sandbox'][] = ['fast', 'bubblewrap'];

/** The key and what is wrong with it; null: they fit. */
export const taskProblem = ({ evaluation: { sandbox } }: Pick<RunConfig, 'evaluation'>, { id, runtime }: Pick<Task, 'id' | 'runtime'>): { readonly key: string; readonly message: string } | null =>
  (runtime === undefined || !PYTHON_ONLY.includes(sandbox) ? null
    : { key: 'evaluation.sandbox', message: `expected docker or auto, since programs of ${id} are in ${runtime.language} and the level ${sandbox} runs Python only, got ${sandbox}` });
