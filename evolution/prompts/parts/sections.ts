// Parts of several prompts: programs, rules of an answer, hints, lines that came back, limits on length.
import type { DiffSettings } from '../../config/run-config.ts';
import { languageOf } from '../../edits/language.ts';
import { fileHead, splitFiles } from '../../files/program-files.ts';

/** A Markdown fence that nothing in the text can close: it is longer than any run of backticks in it. */
export const fenceAround = (text: string): string => {
  let longest = 0;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  return '`'.repeat(Math.max(3, longest + 1));
};

/** The text verbatim, its last line end included, in a fence of its own. */
export const fenced = (text: string, language: string): string => {
  const fence = fenceAround(text);
  return `${fence}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
};

/** A program in a fence that is named after its language, where that is known. */
export const fencedProgram = (code: string): string => fenced(code, languageOf(code).fence);

// How a model is told to write its edits; the form is what the parser of blocks reads.
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

/** The kind of patch that was drawn (patch.ts), with the code of the program to cross with. */
export type PatchAsked = { readonly kind: 'diff' | 'full' | 'cross'; readonly code: string };

export type EditSettings = Pick<DiffSettings, 'enforceBlock' | 'maxCodeChars'> &
  Partial<Pick<DiffSettings, 'accept' | 'match' | 'strict' | 'lazyScope'>> & {
    readonly patch?: PatchAsked | undefined;
  };

/**
 * The form of an answer; each sentence holds under the settings. The open block is named where something is closed.
 * `told`: the length of the program stands beside its limit, in the last line, because it differs by request.
 */
export const editRules = (code: string, settings: EditSettings, told = false): string => {
  const { enforceBlock, maxCodeChars, accept = 'edits', lazyScope = 'history' } = settings;
  const { comment, fence } = languageOf(code);
  const closes = enforceBlock && code.includes('EVOLVE-BLOCK-START');
  const files = splitFiles(code);
  return [
    '# How to edit',
    '',
    ...(accept === 'program' ? [] : blockRules(settings)),
    ...(files === null ? [] : fileRules(accept)),
    ...(accept === 'either' && files === null
      ? [
          `- In place of blocks the whole new program may stand in ${fenceText(code)}; one way or the other, not both. It then holds every line of the program, also those that do not change.`,
        ]
      : []),
    ...(accept === 'program' && files === null
      ? [`- Write the whole new program, every line of it, in ${fenceText(code)}. Only the first such fence is read.`]
      : []),
    ...(closes
      ? [
          `- ${files === null ? 'Change' : 'In a file that has them, change'} only lines between \`${comment} EVOLVE-BLOCK-START\` and \`${comment} EVOLVE-BLOCK-END\`, and leave these two lines alone.${fence === 'python' ? ' Imports that you add belong between them, too.' : ''}`,
        ]
      : []),
    `- The program stays below ${maxCodeChars} characters${told ? `; the current one has ${code.length}` : ''}. Changing only comments or spacing${lazyScope === 'history' ? ', or repeating a program that was tried before,' : ''} does not count.`,
  ].join('\n');
};

const fenceText = (code: string): string => `one fence that begins with \`\`\`${languageOf(code).fence}`;

/** What holds beside the form of edits where the program is of several files. */
const fileRules = (accept: DiffSettings['accept']): readonly string[] => [
  `- A line such as \`${fileHead('path/name.py')}\` begins each file of the program. Files keep their names.`,
  ...(accept === 'program'
    ? []
    : [
        '- A SEARCH part that begins with that line looks in this file alone. One of that line alone has the whole file as its REPLACE part, which may be a new one.',
      ]),
  ...(accept === 'edits'
    ? []
    : [
        `- ${accept === 'either' ? 'In place of blocks, whole' : 'Write whole'} files ${accept === 'either' ? 'may stand ' : ''}in fences that begin with that line: each file that changes or is new, with every line of it. The others stay.`,
      ]),
];

const blockRules = ({ match, strict = false }: EditSettings): readonly string[] => [
  'Write every change as a SEARCH/REPLACE block of exactly this form:',
  '',
  '```',
  EXAMPLE,
  '```',
  '',
  `- The SEARCH part repeats ${match === 'substring' ? 'text' : 'whole consecutive lines'} of the current program, character for character, indentation included. ${strict ? 'If one block has text that the program does not hold, no block is taken.' : 'A block with text that the program does not hold is left out.'}`,
  '- The REPLACE part is what stands there afterwards. Each marker is on a line of its own and begins in the first column.',
  '- Several blocks are allowed; they are applied in order, each to the program as the ones before left it. Where several places match, the first is taken.',
];

/** A hint of a person, or what the notes of the run recommend (notes.ts). */
export type Hint = string | { readonly recommended: string };

/**
 * Hints as sections, empty without any. They stand after all code, each line quoted, so that fences and markers in them
 * are mere words.
 */
export const hintSection = (hints: readonly Hint[]): string => {
  const people = hints.filter((hint) => typeof hint === 'string');
  const notes = hints.flatMap((hint) => (typeof hint === 'string' ? [] : [hint.recommended]));
  return [
    section(
      '# Hint from a person',
      `The person who follows this search asks you to take ${people.length === 1 ? 'this' : 'these'} into account:`,
      people,
    ),
    section('# Recommendation', 'The notes on the programs so far recommend this; follow it where it helps:', notes),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
};

const section = (heading: string, words: string, texts: readonly string[]): string =>
  texts.length === 0 ? '' : [heading, '', words, '', texts.map(quoted).join('\n\n')].join('\n');

export const quoted = (hint: string): string =>
  hint
    .trim()
    .split(/\r\n?|\n|\u2028|\u2029/)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');

const MOST_LINES = 20;
const MOST_CHARACTERS = 200;

/**
 * Lines that an ancestor had deleted and that came back: the first 20 different ones, 200 characters each, quoted so
 * that fences and markers are mere words. At least one line.
 */
export const reintroducedSection = (lines: readonly string[]): string => {
  const different = [...new Set(lines)];
  const more = different.length - MOST_LINES;
  return [
    '# Lines that came back',
    '',
    `An earlier edit had deleted ${different.length === 1 ? 'this line; it is' : 'these lines; they are'} in the program again:`,
    '',
    different.slice(0, MOST_LINES).map(quotedLine).join('\n'),
    ...(more > 0 ? ['', `And ${more} more.`] : []),
    '',
    'What they do has been tried and given up once. Keep them only where you have a reason to, and look for something that was not tried yet.',
  ].join('\n');
};

/** Indentation stays. Other line ends within the line become spaces. */
const quotedLine = (line: string): string => `> ${cut(line.replace(/[\r\n\u2028\u2029]/g, ' '))}`.trimEnd();

/** The cut is never within a pair of surrogates. */
const cut = (line: string): string =>
  line.length <= MOST_CHARACTERS ? line : `${line.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, '')} ...`;

/** An estimate, by which `prompt.maxTokens` is kept. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * `build` with as many programs, from the first on, as the limit allows, at least none. No text is ever cut. Null is no
 * limit.
 */
export const fitTokens = <P, T extends { readonly system: string; readonly user: string }>(
  programs: readonly P[],
  maxTokens: number | null,
  build: (programs: readonly P[]) => T,
): T => {
  for (let count = programs.length; ; count--) {
    const built = build(programs.slice(0, count));
    if (
      count === 0 ||
      maxTokens === null ||
      Math.ceil((built.system.length + built.user.length) / CHARACTERS_PER_TOKEN) <= maxTokens
    )
      return built;
  }
};

/** As fitTokens, for a prompt with attempts: after the last program the oldest attempts go one by one. */
export const fitFrame = <A, P, T extends { readonly system: string; readonly user: string }>(
  attempts: readonly A[],
  programs: readonly P[],
  maxTokens: number | null,
  build: (attempts: readonly A[], programs: readonly P[]) => T,
): T =>
  fitTokens([...attempts, ...programs], maxTokens, ({ length: kept }) =>
    build(attempts.slice(Math.max(0, attempts.length - kept)), programs.slice(0, Math.max(0, kept - attempts.length))),
  );
