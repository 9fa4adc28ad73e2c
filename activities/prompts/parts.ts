// What every style takes from a group's plan: its part of the task's words and people's hints. Called by the styles.
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { Task } from '../../evolution/task.ts';
import type { GroupPlan } from '../store/documents.ts';

/** The weighted part that was drawn for the group; where the task was edited since, its first. */
export const partOf = (task: Task, { part }: GroupPlan): Task['prompts'][number] => task.prompts.find(({ name }) => name === part) ?? task.prompts[0]!;

/** The evolved prompt in its place, where prompts evolve. */
export const asked = (task: Task, plan: GroupPlan, prompt: string | null): Task['prompts'][number] => {
  const part = partOf(task, plan);
  return prompt === null ? part : { ...part, text: prompt };
};

export const hintsFor = ({ prompt }: RunConfig, { island }: GroupPlan): readonly string[] =>
  prompt.hints.filter((hint) => hint.island === null || hint.island === island).map(({ text }) => text);
