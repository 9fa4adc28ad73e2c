// What a judge is asked about an idea: by the gate, and in the training data of a reward model, so that a model is asked as it was trained. Called by the
// stage `judge` and by `evolve export reward-model`.
import { buildJudgePrompt, type Judged } from '../../evolution/prompts/judge-prompt.ts';
import type { Task } from '../../evolution/task.ts';
import { shippedTemplate, templateFor } from '../prompts/templates.ts';

/** By the task's own template where it has one; null: by the shipped one. */
export const judgeQuestion = (task: Pick<Task, 'id' | 'templates'> | null): ((judged: Judged) => string) => {
  const template = task === null ? shippedTemplate('judge') : templateFor('judge', task);
  return (judged) => buildJudgePrompt(judged, template);
};
