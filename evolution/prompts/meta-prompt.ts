// What the auxiliary model reads when a prompt is enriched (CodeEvolve, section 2, Meta-prompting): a prompt and a program, drawn apart from each
// other. Called when a step of `code` explores; editPrompt reads the answer.
import { PROMPT_END, PROMPT_START } from '../exploration/prompt-edit.ts';
import { fenced } from './fenced.ts';

export type MetaPrompt = {
  /** P, whole. */
  readonly prompt: string;
  /** S: code, metrics, error (program-card.ts). */
  readonly card: string;
};

const SYSTEM = 'You write the instructions by which a language model improves programs. You know the craft of algorithms and of prompts, and you enrich instructions so that the programs that come of them differ more and get better.';

const RULES = `# How to edit

Write every change of the prompt as a SEARCH/REPLACE block of exactly this form:

${fenced(`<<<<<<< SEARCH
- Use a fixed random seed.
=======
- Use a fixed random seed.
- Consider two start layouts: a regular lattice, and one grown from the border inwards.
>>>>>>> REPLACE`, '')}

- The SEARCH part repeats whole consecutive lines of the prompt, character for character. The REPLACE part is what stands there afterwards.
- Each marker is on a line of its own and begins in the first column. Several blocks are allowed; they are applied in order.
- Change only lines between \`${PROMPT_START}\` and \`${PROMPT_END}\`, and leave these two lines alone. One block that does not match rejects the whole answer.`;

const TASK = `# Task

Enrich the prompt. Look at what the program does, at its results and at its errors, and ask what the prompt does not say that would have led further:

- context that is missing: facts about the problem, known bounds and structures, pitfalls that the errors show;
- other ways: kinds of algorithms, representations and libraries that the program does not use, so that different programs will come of the prompt;
- criteria: what a good solution has to care for, in which order.

Keep what states the problem, its constraints and its goal true. Do not write code of a solution. Answer with the edits of the prompt.`;

export const buildMetaPrompt = ({ prompt, card }: MetaPrompt): { readonly system: string; readonly user: string } => ({
  system: SYSTEM,
  user: [`# Current prompt\n\n${fenced(prompt, 'text')}`, `# A program of this search\n\n${card}`, RULES, TASK].join('\n\n'),
});
