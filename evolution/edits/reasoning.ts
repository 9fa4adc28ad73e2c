// The reasoning in a response, which servers without a parser for it leave in the text, in the marks of each family of
// models. The answer is what follows it. Where the end cannot be known, nothing is guessed.
import { isBlockMarker } from './markers.ts';

const TAGS = ['think', 'thinking', 'thought', 'thoughts', 'reasoning', 'reflection', 'seed:think', 'antthinking'];

/** The marks that begin and end a reasoning, in small letters. */
const FAMILIES: readonly (readonly [string, string])[] = [
  ...TAGS.map((tag) => [`<${tag}>`, `</${tag}>`] as const),
  ['[think]', '[/think]'],
  ['◁think▷', '◁/think▷'],
  ['<|begin_of_thought|>', '<|end_of_thought|>'],
  ['<|start_thinking|>', '<|end_thinking|>'],
  ['<|channel|>analysis<|message|>', '<|channel|>final<|message|>'],
];

const CHANNEL = FAMILIES.length - 1;
const FAMILY_OF = new Map(FAMILIES.flatMap((marks, family) => marks.map((mark, end) => [mark, { family, end }])));
const MARK = new RegExp(
  [...FAMILY_OF.keys()].map((mark) => mark.replaceAll(/[[\]|/]/g, String.raw`\$&`)).join('|'),
  'gi',
);

type Mark = { readonly at: number; readonly to: number; readonly family: number; readonly isEnd: boolean };

/** More marks than this are no answer that anybody could read. */
const MOST_MARKS = 64;
/** Tokens with which several models end, where their server leaves them in. */
const LAST_TOKEN = /<\|(return|end|im_end|eot_id|endoftext|end_response)\|>\s*$/i;

/** The answer; null where it cannot be known where the reasoning ends. It is empty where the reasoning is still open. */
export const afterReasoning = (text: string): string | null => {
  const marks = marksIn(text);
  return marks.length > MOST_MARKS ? null : (answerIn(text, marks)?.replace(LAST_TOKEN, '') ?? null);
};

const answerIn = (text: string, marks: readonly Mark[]): string | null => {
  if (marks.length === 0) return text;
  const code = codeIn(text);
  const begins = text.slice(0, marks[0]!.at).trim() === '';
  const first = begins ? 0 : marks.findIndex(({ at }) => !isWithin(at, code));
  if (first < 0) return text;
  const end = endOf(marks, first) ?? quotedEnd(text, marks[first]!);
  if (end === null) return '';
  const rest = text.slice(end.to);
  const after = marksIn(rest);
  // A mark within a program of the reasoning may be part of that program, and a later one the end.
  if (after.length > 0 && openFence(text.slice(0, end.at))) return null;
  const spans = codeIn(rest);
  const next = after.find(({ at }) => !isWithin(at, spans));
  if (next === undefined) return rest;
  return next.isEnd ? null : answerIn(rest, after);
};

/** The mark that ends the reasoning which the mark at `first` begins, or ends where a template began it. */
const endOf = (marks: readonly Mark[], first: number): Mark | null => {
  const { family, isEnd } = marks[first]!;
  if (isEnd) return marks[first]!;
  let depth = 0;
  for (const mark of marks.slice(first)) {
    if (mark.family !== family) continue;
    depth += mark.isEnd ? -1 : 1;
    // Channels do not nest: a model may think several times before its final words.
    if (depth === 0 || (mark.isEnd && family === CHANNEL)) return mark;
  }
  return null;
};

/** The only mark that can end the reasoning, though a line seems to quote it; null where there is none, or several. */
const quotedEnd = (text: string, { family, to: from }: Mark): Mark | null => {
  const mark = FAMILIES[family]![1];
  const small = text.toLowerCase();
  const at = small.indexOf(mark, from);
  return at < 0 || small.includes(mark, at + 1) ? null : { at, to: at + mark.length, family, isEnd: true };
};

/** The marks that no line quotes: a thought may speak of them, and a program may hold them in its texts. */
const marksIn = (text: string): readonly Mark[] => {
  const marks: Mark[] = [];
  for (const { 0: found, index: at } of text.matchAll(MARK)) {
    const { family, end } = FAMILY_OF.get(found.toLowerCase())!;
    const to = at + found.length;
    if (!isQuoted(text, at, to)) marks.push({ at, to, family, isEnd: end === 1 });
    if (marks.length > MOST_MARKS) break;
  }
  return marks;
};

/** Characters of a line on either side of a mark that are looked at. */
const AROUND = 500;

/** An odd number of the same quotation marks stands before it on its line, and another one after it. */
const isQuoted = (text: string, at: number, to: number): boolean => {
  const before = text
    .slice(Math.max(0, at - AROUND), at)
    .split('\n')
    .at(-1)!;
  const [after] = text.slice(to, to + AROUND).split('\n', 1) as [string];
  return QUOTES.some((quote) => (before.match(quote)?.length ?? 0) % 2 === 1 && after.match(quote) !== null);
};

/** An apostrophe within a word quotes nothing. */
const QUOTES = [/"/g, /`/g, /(?<!\w)'|'(?!\w)/g];

type Span = { readonly from: number; readonly to: number };

const isWithin = (at: number, spans: readonly Span[]): boolean => spans.some(({ from, to }) => at > from && at < to);

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Fences that are closed, and SEARCH/REPLACE blocks. */
const codeIn = (text: string): readonly Span[] => {
  const spans: Span[] = [];
  let at = 0;
  let open: { readonly from: number; readonly mark: string | null } | null = null;
  for (const line of text.split('\n')) {
    const mark = FENCE.exec(line)?.[1] ?? null;
    if (open === null) {
      if (mark !== null || isBlockMarker(line, 'SEARCH')) open = { from: at, mark };
    } else if (open.mark === null ? isBlockMarker(line, 'REPLACE') : isClosing(line, open.mark)) {
      spans.push({ from: open.from, to: at });
      open = null;
    }
    at += line.length + 1;
  }
  return spans;
};

const isClosing = (line: string, mark: string): boolean =>
  line.trim().startsWith(mark) && line.trim().replaceAll(mark[0]!, '') === '';

/** The text ends within a fence. */
const openFence = (text: string): boolean => text.split('\n').filter((line) => FENCE.test(line)).length % 2 === 1;
