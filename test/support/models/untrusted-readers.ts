// Everything that reads a text from a model or a candidate, and the texts that are worst for readers: repetitions of
// what they look for, whole and crossed, after beginnings that are never closed.
import { modulesOf } from '../../../activities/sandbox/contract/imports.ts';
import { parseDelta, splitAnswer } from '../../../evolution/deltas/parse.ts';
import { hideScores } from '../../../evolution/deltas/feedback.ts';
import { applyBlocks } from '../../../evolution/edits/apply.ts';
import { almostMarker, type Block, readAnswer, readBlocks } from '../../../evolution/edits/diff.ts';
import { applyResponse } from '../../../evolution/edits/early-checks.ts';
import { normalise } from '../../../evolution/edits/equivalence.ts';
import { joinFiles, splitFiles } from '../../../evolution/files/program-files.ts';
import { editedLines, lineHash, reintroduced } from '../../../evolution/edits/reintroduced.ts';
import { givenProgram, readProgram, replaceProgram } from '../../../evolution/edits/whole-program.ts';
import { editPrompt, openPrompt, PROMPT_END, PROMPT_START } from '../../../evolution/exploration/prompt-edit.ts';
import { parseIdea, parseVerdict } from '../../../evolution/ideas/idea.ts';
import { diversity, shapeOf } from '../../../evolution/measures/diversity.ts';
import { treeSize } from '../../../evolution/measures/tree-size.ts';
import { ideaSection } from '../../../evolution/prompts/parts/contents.ts';
import { fencedProgram, hintSection, reintroducedSection } from '../../../evolution/prompts/parts/sections.ts';
import { tokenise } from '../../../evolution/python/tokens.ts';
import type { DiffSettings } from '../../../evolution/config/run-config.ts';

const BLOCK = [
  '# EVOLVE-BLOCK-START',
  'def f(x):',
  '    """What f is for."""',
  '    return x + 1',
  '# EVOLVE-BLOCK-END',
];
const PARENT = `import math\n${BLOCK.join('\n')}\nprint(f(1))\n`;
const NORM = normalise(PARENT);
const REFERENCE = shapeOf(PARENT);
const HASHES: ReadonlySet<string> = new Set(['    return x + 1', 'def f(x):'].map(lineHash));
const SCORES: ReadonlySet<number> = new Set([2.635, 0.25, 1e6]);

export const DIFF: DiffSettings = {
  accept: 'either',
  match: 'lines',
  strict: false,
  enforceBlock: true,
  moveImports: true,
  maxCodeChars: 4_000_000,
  parse: 'answer',
  lazyScope: 'parent',
};

const marked = (code: string): string => `# EVOLVE-BLOCK-START\n${code}\n# EVOLVE-BLOCK-END\n`;
const blockText = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE\n`;
const fence = (text: string): string => `~~~~python\n${text}\n~~~~\n`;
const half = (text: string): string => text.slice(0, text.length / 2);

/** Blocks that are parts of the text and then something else, so that each is searched for in all of it. */
const partsOf = (text: string): readonly Block[] => {
  const lines = text.split('\n');
  return [2, 3, 5, 50, 500].map((part) => ({
    search: [...lines.slice(0, lines.length / part), 'x'],
    replace: ['y'],
  }));
};

const respond = (response: string, parentCode: string): unknown =>
  applyResponse({ response, parentCode, parentNorm: NORM, settings: DIFF });

/** Each reads the text in a place where a text from outside stands. */
export const READERS: { readonly [name: string]: (text: string) => unknown } = {
  'the answer behind the reasoning': (text) => readAnswer(text, 'answer'),
  'blocks of an answer': readBlocks,
  'a marker that is almost one': almostMarker,
  'a program in a fence': readProgram,
  'a whole program': (text) => replaceProgram(PARENT, text, DIFF),
  'a whole program between markers': (text) => replaceProgram(PARENT, marked(text), DIFF),
  'a program that is replaced': (text) => replaceProgram(marked(text), text, DIFF),
  'a program of a person': (text) => givenProgram(PARENT, text, DIFF),
  'a program of a person between markers': (text) =>
    givenProgram(
      PARENT,
      PARENT.replace('    return x + 1', () => text),
      DIFF,
    ),
  'an answer of any form': (text) => respond(text, PARENT),
  'a block with this REPLACE': (text) => respond(blockText('    return x + 1', text), PARENT),
  'a block with this SEARCH': (text) => respond(blockText(text, 'y'), PARENT),
  'imports that a block adds outside': (text) => respond(blockText('import math', `import math\n${text}`), PARENT),
  'a fence with this program': (text) => respond(fence(text), PARENT),
  'an answer of edits on this program': (text) => respond(blockText('    return x + 1', 'y'), text),
  'parts of the program, line by line': (text) =>
    applyBlocks(text, partsOf(text), { enforceBlock: false, strict: false }),
  'parts of the program between markers': (text) =>
    applyBlocks(`${text}\n${marked(text)}`, partsOf(text), { enforceBlock: true, strict: false }),
  'parts of the program, character by character': (text) =>
    applyBlocks(text, partsOf(text), { enforceBlock: true, strict: false, match: 'substring' }),
  'half of the program and a character': (text) =>
    applyBlocks(
      text,
      [`b${half(text)}`, `${half(text)}b`].map((search): Block => ({ search: [search], replace: ['z'] })),
      { enforceBlock: false, strict: false, match: 'substring' },
    ),
  'the delta of an answer': parseDelta,
  'a delta section with this text': (text) =>
    parseDelta(`#DELTA-SUMMARY-START\nFROM: ${text}\nTO: ${text}\n#DELTA-SUMMARY-END\n`),
  'a plan with this text': (text) => parseDelta(`#DELTA-PLAN-DETAILS-START\n${text}\n#DELTA-PLAN-DETAILS-END\n`),
  'an answer with a delta': (text) =>
    splitAnswer(text, { prompt: { style: 'delta' }, diff: DIFF } as Parameters<typeof splitAnswer>[1]),
  'an idea': parseIdea,
  'the score of a judge': parseVerdict,
  'the edit of a prompt': (text) => editPrompt(openPrompt('Be bold.\nBe brief.'), text, DIFF),
  'a prompt that is edited': (text) =>
    editPrompt(`${PROMPT_START}\n${text}\n${PROMPT_END}\n`, blockText('Be bold.', 'Be brief.'), DIFF),
  'a prompt without its markers': openPrompt,
  'Python tokens': tokenise,
  'Python tokens in a function': (text) => tokenise(`def f():\n    ${text}`),
  'the canonical text': normalise,
  'the canonical text of another language': (text) => normalise(`// EVOLVE-BLOCK-START\n${text}`),
  'the size of the syntax tree': treeSize,
  'the diversity': (text) => diversity(shapeOf(text), [REFERENCE]),
  'the lines that an edit changed': (text) => [editedLines(PARENT, text), editedLines(half(text), text)],
  'the lines that came back': (text) => [lineHash(text), reintroduced(text.split('\n'), HASHES)],
  'the files of a program': (text) => splitFiles(`# === FILE: main.py ===\n${text}`),
  'files put together': (text) => joinFiles([{ name: 'main.py', text }]),
  'the modules of a program': modulesOf,
  'a program in a prompt': fencedProgram,
  'an idea in a prompt': ideaSection,
  'a hint in a prompt': (text) => hintSection([text]),
  'lines that came back in a prompt': (text) => reintroducedSection(text.split('\n')),
  'hidden scores': (text) => hideScores(text, SCORES),
};

const words = (...lines: readonly string[]): readonly string[] => lines.flatMap((line) => line.split('|'));

/** What readers look for, and what patterns stumble over. */
const TOKENS: readonly string[] = [
  ...words(
    'def |class |lambda |lambda:|def f():|def f(|class A:\n |if 0:|async |return |else:|with |for |match |not |await ',
  ),
  ...words(
    'from x import y\n|import numpy\n|import \n|import  |pass\n|x = 1\n|x|_|0|1|01|0_|1.|.5|1e|1e+|a b |a = |a,|a + ',
  ),
  ...words(
    '```|````|~~~|~~~~|`|~|~ |` |```\n|~~~\n|```python\n|~~~ python\n|~~~\r|```x`|\'|"|\'\'\'|"""|\'\'\'\n|"""\n|\'\'|""',
  ),
  ...words(
    "f'|f\"|f'{|f\"{x|f'''{|rb'|\\'|\\\"|\\N{{|\\N{|{x!r:|{x=}|<<<<<<< SEARCH\n|=======\n|>>>>>>> REPLACE\n|<<<<<<< SEARCH",
  ),
  ...words('<<<<|<<<< SEARCH\n|<<<<<<< SEARCH \n|<think>|</think>|<think>\n|<|>|(|[|{|)|]|}|()|[]|{}|{{|}}|(\n|[\n'),
  ...[blockText('x', 'y'), blockText('    return x + 1', '    return x + 1'), blockText('Be bold.', 'Be bold.')],
  ...words('\\|\\\n|#|#\n|# |//|// |\n|\r|\r\n|\n\n|\t| |  \n|\t\n|\f|\u2028|\v|\0|é|𝔘|\ud800|\u0301|\ufeff'),
  ...words('# EVOLVE-BLOCK-START\n|# EVOLVE-BLOCK-END\n|// EVOLVE-BLOCK-START\n|EVOLVE-BLOCK-|# === FILE: a.py ===\n'),
  ...words('# PROMPT-BLOCK-START\n|# PROMPT-BLOCK-END\n|#DELTA-SUMMARY-START\n|#DELTA-SUMMARY-END\n|#DELTA-|delta-'),
  ...words(
    '#DELTA-PLAN-DETAILS-START\n|#DELTA-PLAN-DETAILS-END\n|#DELTA-SUMMARY-START TO:|delta plan |delta summary start\n',
  ),
  ...words(
    'FROM: |TO: |TO: x\n|COMPONENT: |OLD_LOGIC: |NEW_LOGIC: x\n|OLD |NEW_|[Modification 1]\n|[Modification |modification ',
  ),
  ...words(
    'modification 1|**|* |- |-|> |+|1. |1) |<x>|...|: |：|\\boxed|\\boxed{|\\boxed {|\\boxed{7}|\\boxed  |$|%|@|@x\n|;|:|=|==|!|,',
  ),
];

const BEGINNINGS: readonly string[] = words(
  '|f\'\'\'|"""|```\n|<<<<<<< SEARCH\n|def f():\n    "|#DELTA-SUMMARY-START\nTO: ',
);

/** `of` makes a text of about that many characters. */
export type Growing = { readonly name: string; readonly of: (length: number) => string };

const repeated = (token: string, length: number): string => token.repeat(Math.ceil(length / token.length));

/** Every token repeated after every beginning, and pairs of tokens that `pick` draws: mixed, crossed, growing apart. */
export const worstTexts = (pairs: number, pick: (count: number) => number): readonly Growing[] => [
  ...TOKENS.flatMap((token) =>
    BEGINNINGS.map((beginning): Growing => ({
      name: JSON.stringify([beginning, token]),
      of: (length) => `${beginning}${repeated(token, length)}`,
    })),
  ),
  ...TOKENS.map((token): Growing => ({
    name: `${JSON.stringify(token)} and another end`,
    of: (length) => `${repeated(token, length)}\u0001x`,
  })),
  ...Array.from({ length: pairs }, (_, index): Growing => {
    const [first, second] = [TOKENS[pick(TOKENS.length)]!, TOKENS[pick(TOKENS.length)]!];
    const name = JSON.stringify([first, second]);
    if (index % 3 === 0) return { name: `${name} mixed`, of: (length) => repeated(first + second, length) };
    if (index % 3 === 1)
      return { name: `${name} crossed`, of: (length) => repeated(first, length / 2) + repeated(second, length / 2) };
    return {
      name: `${name} growing apart`,
      of: (length) => repeated(repeated(first, Math.ceil(Math.sqrt(length))) + second, length),
    };
  }),
];
