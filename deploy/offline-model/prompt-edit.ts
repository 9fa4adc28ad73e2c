// An edit of a prompt that puts its lines or sentences into another order. Only lines between the lines `#
// PROMPT-BLOCK-START` and `# PROMPT-BLOCK-END` are touched.
import type { Random } from './mutate/random.ts';

/** Lines that have another meaning in the form of the answer. */
const UNSAFE = /^(?:<{7} SEARCH|={7}|>{7} REPLACE)\s*$|PROMPT-BLOCK|<\/?think>/;
/** Two lines that are exchanged are at most so far apart. */
const FARTHEST = 12;

type Reordering = { readonly search: readonly string[]; readonly replace: readonly string[]; readonly words: string };

export function promptEditText(prompt: string, random: Random): string {
  const lines = prompt.split(/\r?\n/);
  const open = openParts(lines);
  const reordering = draw(
    open.flatMap(([first, end]) => linePairs(lines, first, end)),
    open.flatMap(([first, end]) => sentencePairs(lines, first, end)),
    lines,
    random,
  );
  if (reordering === null)
    return 'Mechanical edit, no language model: the prompt has no PROMPT-BLOCK with two lines or sentences to exchange.';
  const { search, replace, words } = reordering;
  return [
    `Mechanical edit of the prompt, no language model: ${words}.`,
    '',
    '<<<<<<< SEARCH',
    ...search,
    '=======',
    ...replace,
    '>>>>>>> REPLACE',
  ].join('\n');
}

/** First line and end of each part between markers. */
function openParts(lines: readonly string[]): readonly (readonly [number, number])[] {
  const parts: (readonly [number, number])[] = [];
  let first = -1;
  for (const [at, line] of lines.entries()) {
    if (/^\s*#\s*PROMPT-BLOCK-START\b/.test(line)) first = at + 1;
    else if (/^\s*#\s*PROMPT-BLOCK-END\b/.test(line) && first >= 0) {
      parts.push([first, at]);
      first = -1;
    }
  }
  return parts;
}

type Pair = readonly [number, number];

/** Different lines with nothing unsafe from the one to the other. */
function linePairs(lines: readonly string[], first: number, end: number): readonly Pair[] {
  const pairs: Pair[] = [];
  for (let one = first; one < end; one += 1) {
    if (!usable(lines[one])) continue;
    for (
      let other = one + 1;
      other < Math.min(end, one + 1 + FARTHEST) && !UNSAFE.test(lines[other] ?? '');
      other += 1
    ) {
      if (usable(lines[other]) && lines[one]?.trimEnd() !== lines[other]?.trimEnd()) pairs.push([one, other]);
    }
  }
  return pairs;
}

const usable = (line: string | undefined): boolean => line !== undefined && line.trim() !== '' && !UNSAFE.test(line);

/** A line, and which of its sentences changes places with the next. */
function sentencePairs(lines: readonly string[], first: number, end: number): readonly Pair[] {
  const pairs: Pair[] = [];
  for (let at = first; at < end; at += 1) {
    if (!usable(lines[at])) continue;
    const sentences = sentencesOf(lines[at] ?? '');
    for (let one = 0; one + 1 < sentences.length; one += 1)
      if (sentences[one] !== sentences[one + 1]) pairs.push([at, one]);
  }
  return pairs;
}

const sentencesOf = (line: string): readonly string[] => line.trimEnd().split(/(?<=[.!?]) /);

function draw(
  lineChoices: readonly Pair[],
  sentenceChoices: readonly Pair[],
  lines: readonly string[],
  random: Random,
): Reordering | null {
  const ofLines = sentenceChoices.length === 0 || (lineChoices.length > 0 && random.chance(0.5));
  const choice = random.pick(ofLines ? lineChoices : sentenceChoices);
  if (choice === undefined) return null;
  const [at, other] = choice;
  if (!ofLines) {
    const sentences = sentencesOf(lines[at] ?? '');
    const exchanged = sentences.map((sentence, index) =>
      index === other ? sentences[other + 1] : index === other + 1 ? sentences[other] : sentence,
    );
    return { search: [lines[at] ?? ''], replace: [exchanged.join(' ')], words: 'exchanged two sentences' };
  }
  const search = lines.slice(at, other + 1);
  return {
    search,
    replace: [search.at(-1) ?? '', ...search.slice(1, -1), search[0] ?? ''],
    words: 'exchanged two lines',
  };
}
