// Code with its colours, as ranges: triples of begin, end and kind. The worker finds them in one pass from left to
// right: a parser with its tables would be a quarter of the page's script. The page makes elements of them, never
// markup.
import { firstIndex } from '../../../evolution/binary-search.ts';

/** The kinds of ranges; the stylesheet has a colour for each (`.code-keyword` and so on). */
export const COLOURED = ['keyword', 'string', 'number', 'comment', 'name', 'definition', 'operator'] as const;
export type Coloured = (typeof COLOURED)[number];

export type Piece = { readonly text: string; readonly is: Coloured | null };

/** The first triple that ends behind this place. */
const firstBehind = (ranges: Uint32Array, place: number): number =>
  firstIndex(ranges.length / 3, (range) => ranges[3 * range + 1]! > place);

/** A part of the code, cut where its colour changes. The ranges are ascending and do not overlap. */
export const piecesOf = (code: string, ranges: Uint32Array, from: number, to: number): readonly Piece[] => {
  const pieces: Piece[] = [];
  let at = from;
  for (let index = firstBehind(ranges, from); index < ranges.length / 3; index++) {
    const [start, end, is] = [ranges[3 * index]!, ranges[3 * index + 1]!, ranges[3 * index + 2]!];
    if (start >= to) break;
    if (start > at) pieces.push({ text: code.slice(at, start), is: null });
    pieces.push({ text: code.slice(Math.max(at, start), Math.min(to, end)), is: COLOURED[is] ?? null });
    at = Math.min(to, end);
  }
  if (at < to) pieces.push({ text: code.slice(at, to), is: null });
  return pieces;
};

/** The beginning of each line, and at last the length of the text. */
export const lineStarts = (text: string): readonly number[] => {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  // The line feed that ends a file begins no line.
  if (starts.length > 1 && starts.at(-1) === text.length) starts.pop();
  return [...starts, text.length];
};

type Grammar = {
  readonly keywords: ReadonlySet<string>;
  /** Keywords that are names where they are called or given a value. */
  readonly soft: ReadonlySet<string>;
  readonly constants: ReadonlySet<string>;
  /** A name that stands behind one of these is defined there. */
  readonly defining: ReadonlySet<string>;
  readonly comment: RegExp;
  /** A quotation mark and the letters that may stand before it. */
  readonly opening: RegExp;
  /** Marks of strings of several lines. */
  readonly long: ReadonlySet<string>;
};
const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** By the language that the task names. Texts in others have no colours. */
const GRAMMARS: { readonly [language: string]: Grammar } = {
  python: {
    keywords: words(
      'and as assert async await break case class continue def del elif else except finally for from global if import in ' +
        'is lambda match nonlocal not or pass raise return try while with yield',
    ),
    soft: words('match case'),
    constants: words('True False None'),
    defining: words('def class'),
    comment: /#[^\n]*/y,
    opening: /[A-Za-z]{0,2}("""|'''|"|')/y,
    long: words(`""" '''`),
  },
  javascript: {
    keywords: words(
      'async await break case catch class const continue debugger default delete do else export extends finally for ' +
        'function if import in instanceof let new of return static super switch this throw try typeof var void while ' +
        'with yield',
    ),
    soft: words('async of static'),
    constants: words('true false null undefined NaN Infinity'),
    defining: words('function class'),
    comment: /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/y,
    opening: /(`|"|')/y,
    long: words('`'),
  },
};

const SPACE = /[ \t\r\n\f\\]+/y;
const NUMBER = /(?:0[xXoObB][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?[jJ]?)/y;
const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const OPERATOR = /[-+*/%&|^~<>=!@:?]+/y;

const lengthAt = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex - at : 0;
};

/** The end of a string that is open from here on. One that is not `long` ends with its line at the latest. */
const stringEnd = (text: string, from: number, mark: string, long: boolean): number => {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text.startsWith(mark, at)) return at + mark.length;
    else if (!long && text[at] === '\n') return at;
  }
  return text.length;
};

/** The triples of a text in this language, ascending, none over another. */
export const coloursOf = (text: string, language: string): Uint32Array => {
  const grammar = Object.hasOwn(GRAMMARS, language) ? GRAMMARS[language] : undefined;
  return grammar === undefined ? new Uint32Array() : coloursBy(grammar, text);
};

const coloursBy = (grammar: Grammar, text: string): Uint32Array => {
  const { comment: commented, opening: opened, long } = grammar;
  const found: number[] = [];
  const mark = (from: number, to: number, is: Coloured): void => {
    found.push(from, to, COLOURED.indexOf(is));
  };
  let before = '';
  for (let at = 0; at < text.length;) {
    const space = lengthAt(SPACE, text, at);
    if (space > 0) {
      at += space;
      continue;
    }
    const [from, previous] = [at, before];
    const comment = lengthAt(commented, text, at);
    opened.lastIndex = at;
    const opening = comment > 0 ? null : opened.exec(text);
    if (comment > 0) {
      at += comment;
      mark(from, at, 'comment');
      continue;
    }
    if (opening !== null) {
      at = stringEnd(text, at + opening[0].length, opening[1]!, long.has(opening[1]!));
      mark(from, at, 'string');
      before = '';
      continue;
    }
    const word = lengthAt(WORD, text, at);
    const length = word || lengthAt(NUMBER, text, at) || lengthAt(OPERATOR, text, at) || 1;
    at += length;
    before = text.slice(from, at);
    if (word > 0) {
      const is = wordIs(grammar, before, previous, text.slice(at, at + 20).trimStart()[0]);
      if (is !== null) mark(from, at, is);
    } else if (/^\.?\d/.test(before)) mark(from, at, 'number');
    else if (lengthAt(OPERATOR, text, from) > 0) mark(from, at, 'operator');
  }
  return Uint32Array.from(found);
};

const wordIs = (
  { keywords, soft, constants, defining }: Grammar,
  word: string,
  before: string,
  next: string | undefined,
): Coloured | null => {
  if (defining.has(before)) return 'definition';
  if (before !== '.' && constants.has(word)) return 'number';
  if (before !== '.' && keywords.has(word) && !(soft.has(word) && /[=.,)([]/.test(next ?? ')'))) return 'keyword';
  return before === '@' || next === '(' ? 'name' : null;
};
