// The kinds of answer that are no program: ideas, judgements, logs of a change, answers that no parser should accept
// (`--rate-garbage`), and the tiny edit of the benches (`--trivial`).
import { writeBlocks } from './mutate/blocks.ts';
import { type Edit, edited, editTokens } from './mutate/edit.ts';
import { type Answer, mutate, OPERATORS, type Part } from './mutate/mutate.ts';
import type { Program } from './mutate/program.ts';
import { type Random, randomFrom, weightedIndex } from './mutate/random.ts';
import type { DeltasWanted } from './role.ts';

/** The server writes three bytes that are not UTF-8 in its place. */
export const INVALID_BYTES = '\ue0ff(not UTF-8)\ue0ff';

const KINDS: readonly ((answer: string) => string)[] = [
  () => 'I would start by thinking about the structure of the problem. A better program would place things better.',
  (answer) => answer.replaceAll('<<<<<<< SEARCH', '<<<<<< SEARCH').replaceAll('>>>>>>> REPLACE', '>>>>>>> END'),
  (answer) => answer.replaceAll('=======', ''),
  (answer) => answer.slice(0, Math.ceil(answer.length / 2)),
  (answer) => answer.replaceAll('\n', '\r\n'),
  (answer) => `<think>\n${answer}`,
  () => '<<<<<<< SEARCH\nthis line is in no program\n=======\npass\n>>>>>>> REPLACE',
  () => '<<<<<<< SEARCH\n\n=======\nimport os\n>>>>>>> REPLACE',
  () => '# EVOLVE-BLOCK-START\n<<<<<<< SEARCH\n# EVOLVE-BLOCK-START\n=======\n# gone\n>>>>>>> REPLACE',
  () =>
    'Ответ в другой кодировке: \u00d0\u009e\u00d1\u0082\u00d0\u00b2 \u0000\u0001\u001b[31m \ud800 \ufeff\u202e 程序 🧬',
  (answer) => answer.replace(/[a-z]/g, (letter) => (letter === 'e' ? INVALID_BYTES : letter)),
  (answer) => Buffer.from(answer, 'utf16le').toString('latin1'),
  () => `${'The quick mutation jumps over the lazy program. '.repeat(6400)}\n`,
  (answer) => `${'<<<<<<< SEARCH\n'.repeat(2000)}${answer}`,
];

/** Unusable text in a valid envelope: prose, wrong markers, CRLF, other encodings, lone surrogates, 300 KB of text. */
export function garbage(answer: string, random: Random): string {
  return random.pick(KINDS)?.(answer) ?? '';
}

const LOWEST = 3,
  HIGHEST = 9;

/**
 * A judgement in a reward model's form. The score is uniform, has one decimal, and is the same for the same idea,
 * whatever the seed.
 */
export function judgementText(idea: string): string {
  const score = Math.round(10 * (LOWEST + (HIGHEST - LOWEST) * randomFrom('judgement', idea).next())) / 10;
  return `Mechanical judgement, no language model: a number drawn from the text of the proposal, not a review of it.\n\n\\boxed{${score}}`;
}

/**
 * Names the mutation operator that is to work on the program. It is drawn as for a mutation, or by its weight alone
 * where the program has nothing that may be changed.
 */
export function ideaText(program: Program | null, random: Random): string {
  const tried = program && mutate(program, [], random);
  const alone = OPERATORS.filter(({ name }) => name !== 'recombine');
  const name =
    tried?.parts[0]?.operator ??
    alone[
      weightedIndex(
        random,
        alone.map(({ weight }) => weight),
      )
    ]?.name ??
    'perturb literals';
  return [
    'Mechanical idea, no language model: a mutation operator that was drawn at random.',
    `Operator: ${name}.`,
    `It will ${OPERATORS.find((operator) => operator.name === name)?.does ?? 'change the program'}, at a place drawn at random.`,
    ...(tried ? [`Tried on the current program it ${tried.parts[0]?.words}.`] : []),
  ].join('\n');
}

/**
 * The log of a mutation in the literal form that prompts with deltas ask for. The plan has one entry for each part, and
 * there is at least one part.
 */
export function deltaSections(parts: readonly Part[], { summary, plan }: DeltasWanted): string {
  return [...(summary ? [summarySection(parts)] : []), ...(plan ? [planSection(parts)] : [])].join('\n\n');
}

function summarySection(parts: readonly Part[]): string {
  return [
    '#DELTA-SUMMARY-START',
    'FROM: The program as it was given.',
    `TO: The same program after a random mutation without a language model, which ${parts.map(({ words }) => plain(words)).join('; ')}.`,
    '#DELTA-SUMMARY-END',
  ].join('\n');
}

function planSection(parts: readonly Part[]): string {
  return [
    '#DELTA-PLAN-DETAILS-START',
    ...parts.flatMap(({ operator, words }, index) => [
      `[Modification ${index + 1}]`,
      `COMPONENT: Mutation operator: ${operator}`,
      'OLD_LOGIC: The statements as they were given.',
      `NEW_LOGIC: A random mutation ${plain(words)}.`,
      'HYPOTHESIS: None, the change is random and the score decides.',
    ]),
    '#DELTA-PLAN-DETAILS-END',
  ].join('\n');
}

/** Keeps labels, entries and delimiters of the form out of a text that quotes code. */
const plain = (words: string): string =>
  words
    .replaceAll('#', '')
    .replace(/\b(FROM|TO|COMPONENT|OLD_LOGIC|NEW_LOGIC|HYPOTHESIS)(\*{0,2}):/gi, '$1')
    .replaceAll('[Modification', '(Modification');

const PLAIN_FLOAT = /^\d+\.\d*$/;

/**
 * The answer of the benches: a tiny valid edit that keeps the program's size and differs for every request and choice.
 * It changes the first plain float beyond its sixth decimal, or adds a line that holds the number.
 */
export function trivialChange(program: Program, digest: string): Answer | null {
  const edits = trivialEdits(program, digest);
  const blocks = edits && writeBlocks(program, edits);
  if (edits === null || blocks === null) return null;
  const words = 'changed a number beyond its sixth decimal';
  return {
    blocks,
    program: edited(program.lines, edits, 0, program.lines.length).join('\n'),
    words,
    parts: [{ operator: 'trivial', words }],
  };
}

function trivialEdits(program: Program, digest: string): readonly Edit[] | null {
  const unique = String(BigInt(`0x1${digest.slice(0, 13)}`)).padStart(17, '0');
  const token = program.tokens.find((candidate) => candidate.kind === 'number' && PLAIN_FLOAT.test(candidate.text));
  if (token !== undefined) {
    const [whole = '0', decimals = ''] = token.text.split('.');
    return editTokens(program, [{ token, text: `${whole}.${decimals.slice(0, 6).padEnd(6, '0')}${unique}` }]);
  }
  const earlier = program.logical.find((line) => line.tokens[0]?.text === '_unique');
  if (earlier !== undefined)
    return [{ first: earlier.first, end: earlier.end, lines: [`${earlier.indent}_unique = 1${unique}`] }];
  const place = program.statements.find((statement) => !statement.compound && statement.keyword !== 'return');
  return place === undefined
    ? null
    : [{ first: place.end, end: place.end, lines: [`${place.indent}_unique = 1${unique}`] }];
}
