// What the program model reads under `research`: it carries an idea out on the sampled program (AlphaResearch, section 2, Program). Called once
// an idea passed; the score of the idea is not shown.
import { metricsText, type Metrics } from '../ideas/metrics-text.ts';
import { editRules, type EditSettings } from './edit-rules.ts';
import { fenced } from './fenced.ts';
import { hintSection } from './hint-section.ts';

export type IdeaProgramPrompt = {
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

const SYSTEM = 'You are an expert software developer. You turn a research proposal into working code, by precise edits of the program that stands.';

const task = ({ accept = 'edits' }: EditSettings): string => `# Task

Change the previous program so that it carries out the current proposal and its metrics improve on the previous ones. Say first in a few sentences what you change and why, then write the ${accept === 'program' ? 'whole new program' : 'edits'}.
${accept === 'edits' ? 'Do not rewrite the whole program: edit the parts that the proposal touches. ' : ''}The program that you edit, the current program of the rules below, is the one under Previous Program.`;

/** Both proposals and the program are shown whole and unchanged. */
export const buildIdeaProgramPrompt = (
  { previous, proposal, settings, hints = [], digits }: IdeaProgramPrompt,
): { readonly system: string; readonly user: string } => ({
  system: SYSTEM,
  user: [
    `# Previous Proposal\n\n${previous.proposal}`,
    `# Previous Program\n\n${fenced(previous.code, 'python')}`,
    `# Previous Performance Metrics\n\n${metricsText(previous.metrics, digits)}`,
    `# Current Proposal\n\n${proposal}`,
    ...(hints.length === 0 ? [] : [hintSection(hints)]),
    task(settings),
    editRules(previous.code, settings),
  ].join('\n\n'),
});
