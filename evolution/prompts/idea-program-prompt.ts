// What the program model reads under `research`: it carries an idea out on the sampled program (AlphaResearch, section 2, Program). Called once
// an idea passed; the score of the idea is not shown.
import { metricsText, type Metrics } from '../ideas/metrics-text.ts';
import type { Task } from '../task.ts';
import { editRules, type EditSettings } from './edit-rules.ts';
import { fencedProgram } from './fenced.ts';
import { hintSection } from './hint-section.ts';
import type { ValuesOf } from './placeholders.ts';
import { render, type Template } from './template.ts';

export type IdeaProgramPrompt = {
  readonly task: Pick<Task, 'scoreName' | 'direction'>;
  /** The task's drawn words or the evolved prompt; the method's own template does not show the former. */
  readonly words: string;
  /** Null where prompts do not evolve. */
  readonly evolvedPrompt: string | null;
  /** i_t, p_t and r_t. */
  readonly previous: { readonly proposal: string; readonly code: string; readonly metrics: Metrics };
  /** i_k: the idea to carry out. */
  readonly proposal: string;
  readonly settings: EditSettings;
  /** What people ask of the model. */
  readonly hints?: readonly string[] | undefined;
  /** Significant digits of metrics. */
  readonly digits?: number | undefined;
};

const goal = ({ accept = 'edits' }: EditSettings): string => `# Task

Change the previous program so that it carries out the current proposal and its metrics improve on the previous ones. Say first in a few sentences what you change and why, then write the ${accept === 'program' ? 'whole new program' : 'edits'}.
${accept === 'edits' ? 'Do not rewrite the whole program: edit the parts that the proposal touches. ' : ''}The program that you edit, the current program of the rules below, is the one under Previous Program.`;

/** By which an idea becomes code. */
const ANSWER_FORM = { edits: 'precise edits', either: 'precise edits or a new version', program: 'a new version' } as const;

export const buildIdeaProgramPrompt = (prompt: IdeaProgramPrompt, template: Template): { readonly system: string; readonly user: string } =>
  render(template, proposalSections(prompt));

/** What the placeholders stand for. Both proposals and the program are shown whole and unchanged. */
export const proposalSections = (
  { task, words, evolvedPrompt, previous, proposal, settings, hints = [], digits }: IdeaProgramPrompt,
): ValuesOf<'proposal'> => {
  const [code, metrics] = [fencedProgram(previous.code), metricsText(previous.metrics, digits)];
  return {
    task: words.trim(), evolved_prompt: evolvedPrompt ?? '', previous_idea: previous.proposal, idea: proposal,
    parent: `${metrics}\n\n${code}`, code, metrics,
    hints: hints.length === 0 ? '' : hintSection(hints),
    goal: goal(settings), answer_form: ANSWER_FORM[settings.accept ?? 'edits'], edit_rules: editRules(previous.code, settings), score_name: task.scoreName, direction: task.direction,
  };
};
