// What the idea model reads under `research` (AlphaResearch, section 2, Idea). Called when a round is planned; parseIdea reads the answer.
import { metricsText, type Metrics } from '../ideas/metrics-text.ts';
import type { Task } from '../task.ts';
import { fencedProgram } from './fenced.ts';
import { hintSection } from './hint-section.ts';
import type { ValuesOf } from './placeholders.ts';
import { render, type Template } from './template.ts';

/** A sampled state (i_t, p_t, r_t), its idea and its result. */
export type Proposed = { readonly proposal: string; readonly metrics: Metrics };

export type IdeaPrompt = Proposed & {
  readonly task: Pick<Task, 'scoreName' | 'direction'>;
  /** The task's drawn words; the method's own template does not show them. */
  readonly words: string;
  readonly code: string;
  /** Further states, 0 to 3; the method shows none. */
  readonly inspirations?: readonly Proposed[] | undefined;
  /** What people ask of the model. */
  readonly hints?: readonly string[] | undefined;
  /** Significant digits of metrics. */
  readonly digits?: number | undefined;
};

/** Proposal and program are shown whole and unchanged. */
export const buildIdeaPrompt = (prompt: IdeaPrompt, template: Template): { readonly system: string; readonly user: string } => render(template, ideaSections(prompt));

const ideaSections = ({ task, words, proposal, code, metrics, inspirations = [], hints = [], digits }: IdeaPrompt): ValuesOf<'idea'> => ({
  task: words.trim(), previous_idea: proposal, code: fencedProgram(code), metrics: metricsText(metrics, digits),
  programs: inspirations.map((other, index) => `# Earlier Proposal ${index + 1}\n\n${other.proposal}\n\nIts metrics: ${metricsText(other.metrics, digits)}`).join('\n\n'),
  hints: hints.length === 0 ? '' : hintSection(hints), score_name: task.scoreName, direction: task.direction,
});
