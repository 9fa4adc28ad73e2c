// The reasoning in a response, which servers without a parser for it leave in the text, in the marks of each family of
// models. The answer is what follows it. Where the end cannot be known, nothing is guessed.
import { isBlockMarker } from './markers.ts';

const TAG = String.raw`(?:[a-z]{1,20}[:_])?(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad)`;
/** What stands between the name of a channel and its message. */
const HEADER = String.raw`[^<]{0,100}(?:<\|constrain\|>[^<]{0,100})?<\|message\|>`;

/** The marks that begin and end a reasoning, in any letters. A tag is ended by one of its own name alone. */
const FAMILIES: readonly (readonly [string, string])[] = [
  [String.raw`<\s?(?:${TAG}|antthinking)(?:\s[^<>\n]{0,80})?>`, String.raw`<\s?//?\s?(?:${TAG}|antthinking)\s?>`],
  [String.raw`\[think\]`, String.raw`\[/think\]`],
  ['◁think▷', '◁/think▷'],
  [String.raw`<\|begin_of_thought\|>`, String.raw`<\|end_of_thought\|>`],
  [String.raw`<\|start_thinking\|>`, String.raw`<\|end_thinking\|>`],
  [String.raw`<\|channel>thought`, String.raw`<channel\|>`],
  [String.raw`<\|channel\|>(?:analysis|commentary)${HEADER}`, String.raw`<\|channel\|>final${HEADER}`],
];

const CHANNEL = FAMILIES.length - 1;
/** A group for each beginning and each end, in their order. */
const MARK = new RegExp(
  FAMILIES.flat()
    .map((mark) => `(${mark})`)
    .join('|'),
  'gi',
);

/** How a reasoning begins and ends where a server leaves its marks out, or the model has words in their place. */
const BARE: readonly (readonly [RegExp, RegExp])[] = [
  [/^\s*analysis/, /assistantfinal/g],
  [/^\s*here(?: is|'s) my thought process:/i, /here(?: is|'s) my response:/gi],
  [/^\s*here are my reasoning steps:/i, /\[BEGIN FINAL RESPONSE\]/g],
];

type Mark = {
  readonly at: number;
  readonly to: number;
  /** Its number, and the name of a tag. */
  readonly family: string;
  readonly isEnd: boolean;
  /** A line quotes it: a thought may speak of marks, and a program may hold them in its texts. */
  readonly isQuoted: boolean;
};

/** More marks than this are no answer that anybody could read. */
const MOST_MARKS = 64;
/** Tokens with which several models end, where their server leaves them in. */
const LAST_TOKEN = /(<\|(return|end|call|im_end|eot_id|endoftext|end_response)\|>|\[END FINAL RESPONSE\])\s*$/i;

/** The answer; null where it cannot be known where the reasoning ends. It is empty where the reasoning is still open. */
export const afterReasoning = (text: string): string | null => {
  const bare = BARE.find(([begin]) => begin.test(text));
  const parts = bare === undefined ? [text] : text.split(bare[1]);
  if (parts.length > 2) return null;
  const marked = parts.at(-1)!;
  const marks = marksIn(marked);
  if (unquoted(marks).length > MOST_MARKS) return null;
  return answerIn(marked, marks)?.replace(LAST_TOKEN, '') ?? null;
};

const answerIn = (text: string, all: readonly Mark[]): string | null => {
  const marks = unquoted(all);
  if (marks.length === 0) return text;
  const code = codeIn(text);
  const begins = text.slice(0, marks[0]!.at).trim() === '';
  const first = begins ? 0 : marks.findIndex(({ at }) => !isWithin(at, code));
  if (first < 0) return text;
  const end = endOf(marks, first) ?? onlyEnd(all, marks[first]!);
  if (end === null) return '';
  // It began several times and ended once: what follows may be part of the reasoning still.
  if (!end.isEnd) return null;
  const rest = text.slice(end.to);
  const marksAfter = marksIn(rest);
  const after = unquoted(marksAfter);
  // A mark within a program of the reasoning may be part of that program, and a later one the end.
  if (after.length > 0 && openFence(text.slice(0, end.at))) return null;
  const spans = codeIn(rest);
  const next = after.find(({ at }) => !isWithin(at, spans));
  if (next === undefined) return rest;
  return next.isEnd ? null : answerIn(rest, marksAfter);
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
    if (depth === 0 || (mark.isEnd && family === `${CHANNEL} `)) return mark;
  }
  return null;
};

/**
 * The only mark that can end the reasoning, though a line seems to quote it; null where there is none, or several. The
 * mark that began it where one ends it that nothing quotes.
 */
const onlyEnd = (all: readonly Mark[], begin: Mark): Mark | null => {
  const ends = all.filter(({ at, family, isEnd }) => isEnd && family === begin.family && at >= begin.to);
  if (ends.some(({ isQuoted }) => !isQuoted)) return begin;
  return ends.length === 1 ? ends[0]! : null;
};

const unquoted = (marks: readonly Mark[]): readonly Mark[] => marks.filter((mark) => !mark.isQuoted);

const marksIn = (text: string): readonly Mark[] => {
  const marks: Mark[] = [];
  let count = 0;
  for (const found of text.matchAll(MARK)) {
    const { 0: mark, index: at } = found;
    const group = found.slice(1).findIndex((one) => one !== undefined);
    // Some models end a reasoning with a prefix that it did not begin with.
    const name = group < 2 ? /(?:[a-z]+[:_])?([a-z]+)/i.exec(mark)![1]!.toLowerCase() : '';
    const to = at + mark.length;
    const quoted = isQuoted(text, at, to);
    marks.push({
      ...{ at, to, isEnd: group % 2 === 1, isQuoted: quoted },
      family: `${Math.floor(group / 2)} ${name}`,
    });
    if (!quoted && ++count > MOST_MARKS) break;
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
