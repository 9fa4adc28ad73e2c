// The prompt of the model that edits prompts: a prompt and a program, drawn independently (CodeEvolve 4.2).
import { PROMPT_END, PROMPT_START } from '../exploration/prompt-edit.ts';
import { fenced } from './parts/sections.ts';
import { joined } from './parts/statement.ts';
import { render, type Template, type ValuesOf } from './parts/template.ts';

export type MetaPrompt = {
  /** P, the whole prompt. */
  readonly prompt: string;
  /** S, the program as a card: code, metrics and error. */
  readonly card: string;
  /** Problem and limits beside every prompt; empty where the prompt has them. */
  readonly problem?: string | undefined;
  /** The attempts on the program; empty in the paper's form. */
  readonly tried?: string | undefined;
  /** The best scores that other prompts of the island led to, the best first, with the first line that each added. */
  readonly paid?: readonly { readonly score: string; readonly line: string | null }[] | undefined;
};

const paidSection = (paid: NonNullable<MetaPrompt['paid']>): string =>
  [
    '# Other prompts of this search',
    '',
    'The best score that a program of each has, and the first line that its edit added:',
    '',
    ...paid.map(
      ({ score, line }) => `- ${score}: ${line === null ? 'the prompt that the search began with' : `"${line}"`}`,
    ),
  ].join('\n');

const RULES = `# How to edit

Write every change of the prompt as a SEARCH/REPLACE block of exactly this form:

${fenced(
  `<<<<<<< SEARCH
- Use a fixed random seed.
=======
- Use a fixed random seed.
- Consider two start layouts: a regular lattice, and one grown from the border inwards.
>>>>>>> REPLACE`,
  '',
)}

- The SEARCH part repeats whole consecutive lines of the prompt, character for character. The REPLACE part is what stands there afterwards.
- Each marker is on a line of its own and begins in the first column. Several blocks are allowed; they are applied in order.
- Change only lines between \`${PROMPT_START}\` and \`${PROMPT_END}\`, and leave these two lines alone. One block that does not match rejects the whole answer.`;

const BESIDE = `# What stands beside the prompt

Problem and limits stand before the prompt in every request, as they follow here. The prompt need not repeat them.`;

export const buildMetaPrompt = (
  { prompt, card, problem = '', tried = '', paid = [] }: MetaPrompt,
  template: Template,
): { readonly system: string; readonly user: string } => {
  const values: ValuesOf<'meta'> = {
    prompt: fenced(prompt, 'text'),
    parent: card,
    tried: joined(tried, paid.length === 0 ? '' : paidSection(paid)),
    problem: problem === '' ? '' : `${BESIDE}\n\n${problem}`,
    edit_rules: RULES,
  };
  return render(template, values);
};
