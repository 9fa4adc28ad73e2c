// The prompt of style `task-only`: task and initial program (DeltaEvolve 5.1: Parallel Sampling).
import type { Task } from '../task.ts';
import { editRules, type EditSettings, fencedProgram, type Hint, hintSection } from './sections.ts';
import { render, type Template, type ValuesOf } from './template.ts';
import { goal, ideaSection } from './theta-prompt.ts';

export type TaskOnlyPrompt = {
  readonly task: Pick<Task, 'initialProgram' | 'scoreName' | 'direction'>;
  /** The task's prompt text or the evolved prompt. */
  readonly promptText: string;
  readonly idea: string | null;
  readonly hints: readonly Hint[];
  readonly settings: EditSettings;
};

export const buildTaskOnlyPrompt = (
  { task, promptText, idea, hints, settings }: TaskOnlyPrompt,
  template: Template,
): { readonly system: string; readonly user: string } => {
  const code = fencedProgram(task.initialProgram);
  const values: ValuesOf<'task-only'> = {
    // Without feedback there are no metrics.
    task: promptText.trim(),
    parent: code,
    code,
    metrics: '',
    idea: idea === null ? '' : ideaSection(idea),
    edit_rules: editRules(task.initialProgram, settings),
    hints: hintSection(hints),
    goal: goal(task, settings),
    score_name: task.scoreName,
    direction: task.direction,
  };
  return render(template, values);
};
