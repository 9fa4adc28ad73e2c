// What the reward model reads (AlphaResearch, section 2, Gate): the one template of gate, evaluation and exported training data, so that a
// model is asked as it was trained. Called when an idea is judged and by `evolve export reward-model`; parseVerdict reads the answer.
import type { ValuesOf } from './placeholders.ts';
import { renderSection, type TemplateOf } from './template.ts';

export type Judged = {
  /** Empty at run time: ideas have none. */
  readonly title?: string | undefined;
  readonly idea: string;
};

/** The one user message of the request; there is no system message. The idea is shown whole. `proposal`: title and idea, a line end between them. */
export const buildJudgePrompt = ({ title = '', idea }: Judged, template: TemplateOf<'judge'>): string => {
  const values: ValuesOf<'judge'> = { proposal: `${title}\n${idea}`, title, idea };
  return renderSection(template, 'user', values);
};
