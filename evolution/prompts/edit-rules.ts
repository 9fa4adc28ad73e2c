// How a model is told to write its edits; what diff.ts reads. Called by the prompts of methods whose children are edits.
import { languageOf } from '../language.ts';
import type { DiffSettings } from '../config/run-config.ts';

const EXAMPLE = `<<<<<<< SEARCH
    step = 0.5
    for i in range(10):
        x = improve(x, step)
=======
    step = 0.5
    for i in range(200):
        x = improve(x, step)
        step *= 0.97
>>>>>>> REPLACE`;

export type EditSettings = Pick<DiffSettings, 'enforceBlock' | 'maxCodeChars'> & { readonly accept?: DiffSettings['accept'] };

/** The line about the open block is left out where nothing is closed: no markers, or `enforceBlock` off. */
export const editRules = (code: string, { enforceBlock, maxCodeChars, accept = 'edits' }: EditSettings): string => [
  '# How to edit',
  '',
  ...(accept === 'program' ? [] : BLOCKS),
  ...(accept === 'either' ? [`- In place of blocks the whole new program may stand in ${fenceText(code)}; one way or the other, not both.`] : []),
  ...(accept === 'program' ? [`- Write the whole new program, every line of it, in ${fenceText(code)}. Only the first such fence is read.`] : []),
  ...(enforceBlock && code.includes('EVOLVE-BLOCK-START')
    ? [`- Change only lines between \`${languageOf(code).comment} EVOLVE-BLOCK-START\` and \`${languageOf(code).comment} EVOLVE-BLOCK-END\`, and leave these two lines alone.`] : []),
  `- The program stays below ${maxCodeChars} characters. Changing only comments or spacing, or repeating an earlier program, does not count.`,
].join('\n');

const fenceText = (code: string): string => `one fence that begins with \`\`\`${languageOf(code).fence}`;

const BLOCKS: readonly string[] = [
  'Write every change as a SEARCH/REPLACE block of exactly this form:',
  '',
  '```',
  EXAMPLE,
  '```',
  '',
  '- The SEARCH part repeats whole consecutive lines of the current program, character for character, indentation included. Text that the program does not hold changes nothing.',
  '- The REPLACE part is what stands there afterwards. Each marker is on a line of its own and begins in the first column.',
  '- Several blocks are allowed; they are applied in order, each to the program as the ones before left it.',
];
