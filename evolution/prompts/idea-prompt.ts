// What the idea model reads under `research` (AlphaResearch, section 2, Idea). Called when a round is planned; parseIdea reads the answer.
import { metricsText, type Metrics } from '../ideas/metrics-text.ts';
import { fenced } from './fenced.ts';
import { hintSection } from './hint-section.ts';

/** A sampled state (i_t, p_t, r_t), its idea and its result. */
export type Proposed = { readonly proposal: string; readonly metrics: Metrics };

export type IdeaPrompt = Proposed & {
  readonly code: string;
  /** Further states, 0 to 3; the method shows none. */
  readonly inspirations?: readonly Proposed[] | undefined;
  /** What people ask of the model. */
  readonly hints?: readonly string[] | undefined;
  /** Significant digits of metrics. */
  readonly digits?: number | undefined;
};

const SYSTEM = `You are a research advisor. You are shown a research proposal, the program that carries it out and the program's results, and you write the next, better proposal. Give your attention to four points:

1. What the results say about the weaknesses of the present approach.
2. New improvements that can raise the results.
3. What can be learned from approaches that succeeded, while the proposal stays original.
4. Whether the proposal can be implemented.`;

const REQUEST = `# Your task

Write a new research proposal that

1. addresses the limitations that the current metrics show,
2. uses what successful approaches teach,
3. names concrete technical improvements,
4. is clear and technically rigorous.

Answer with the proposal alone, as a clear and concise research abstract.`;

/** Proposal and program are shown whole and unchanged. */
export const buildIdeaPrompt = ({ proposal, code, metrics, inspirations = [], hints = [], digits }: IdeaPrompt): { readonly system: string; readonly user: string } => ({
  system: SYSTEM,
  user: [
    `# Current Proposal\n\n${proposal}`,
    `# Current Program\n\n${fenced(code, 'python')}`,
    `# Current Metrics\n\n${metricsText(metrics, digits)}`,
    ...inspirations.map((other, index) => `# Earlier Proposal ${index + 1}\n\n${other.proposal}\n\nIts metrics: ${metricsText(other.metrics, digits)}`),
    ...(hints.length === 0 ? [] : [hintSection(hints)]),
    REQUEST,
  ].join('\n\n'),
});
