// The prompt of style `task-only`: task and initial program (DeltaEvolve 5.1: Parallel Sampling).
import type { Task } from '../task/task.ts';
import { sharedValues, statedValues } from './parts/contents.ts';
import { type EditSettings, fencedProgram, type Hint } from './parts/sections.ts';
import type { Statement } from './parts/statement.ts';
import { render, type Template, type ValuesOf } from './parts/template.ts';
import { goal } from './theta-prompt.ts';

export type TaskOnlyPrompt = {
  readonly task: Pick<Task, 'initialProgram' | 'scoreName' | 'direction'>;
  readonly stated: Statement;
  readonly idea: string | null;
  readonly hints: readonly Hint[];
  readonly settings: EditSettings;
};

export const buildTaskOnlyPrompt = (
  prompt: TaskOnlyPrompt,
  template: Template,
): { readonly system: string; readonly user: string } => {
  const { task, stated, settings } = prompt;
  const code = fencedProgram(task.initialProgram);
  const { returned: _, ...shared } = sharedValues(prompt, task.initialProgram);
  const values: ValuesOf<'task-only'> = {
    ...shared,
    ...statedValues(stated),
    // Without feedback there are no metrics.
    parent: code,
    code,
    metrics: '',
    goal: goal(task, settings),
  };
  return render(template, values);
};
