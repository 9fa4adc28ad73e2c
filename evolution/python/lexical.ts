// The lexical elements of Python, each with the section of the Language Reference that defines it.
export type Token = {
  /** An f-string is one token; its replacement fields are lexed and spaced canonically inside `text`. */
  readonly kind: 'name' | 'number' | 'string' | 'fstring' | 'op' | 'newline' | 'indent' | 'dedent';
  readonly text: string;
};

/** A logical line (Language Reference 2.1.1): a statement, with all the physical lines that it takes. */
export type LogicalLine = {
  /** Index of its first token. */
  readonly token: number;
  /** The number of blocks that it stands in. */
  readonly depth: number;
  /** Its first and its last physical line, from 0. */
  readonly first: number;
  readonly last: number;
};

export type Lines = { readonly lines: readonly LogicalLine[] };

/** Says on which physical line, from 0, a place stands. Places are asked for in ascending order. */
export class LineCounter {
  readonly #text: string;
  #counted = 0;
  #line = 0;

  constructor(text: string) {
    this.#text = text;
  }

  lineAt(at: number): number {
    for (; this.#counted < at; this.#counted++) if (this.#text.charCodeAt(this.#counted) === 0x0a) this.#line++;
    return this.#line;
  }
}

/** Thrown inside the lexer and caught there; it says that the text is not Python. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

// Where an identifier begins and ends (Language Reference 2.3: XID_Start, XID_Continue).
const START = /[\p{XIDS}_]/u;
const CONTINUE = /[\p{XIDC}]/u;

/** Bit 1: the character may begin an identifier; bit 2: it may continue one. */
const ASCII = new Uint8Array(128);
for (let char = 0; char < 128; char++) {
  const text = String.fromCharCode(char);
  ASCII[char] = (/[A-Za-z_]/.test(text) ? 1 : 0) | (/[A-Za-z0-9_]/.test(text) ? 2 : 0);
}

export const isIdentifierStart = (text: string, at: number): boolean => {
  const char = text.charCodeAt(at);
  return char < 128 ? (ASCII[char]! & 1) !== 0 : char >= 128 && START.test(String.fromCodePoint(text.codePointAt(at)!));
};

export const identifierEnd = (text: string, start: number): number => {
  let at = start;
  for (;;) {
    const char = text.charCodeAt(at);
    if (char < 128) {
      if ((ASCII[char]! & 2) === 0) return at;
      at++;
    } else {
      const point = text.codePointAt(at);
      if (point === undefined || !CONTINUE.test(String.fromCodePoint(point))) return at;
      at += point > 0xffff ? 2 : 1;
    }
  }
};

// Where a number ends (Language Reference 2.4.5 to 2.4.7).
const NUMBER =
  /0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|(?:\d(?:_?\d)*\.?(?:\d(?:_?\d)*)?|\.\d(?:_?\d)*)(?:[eE][+-]?\d(?:_?\d)*)?[jJ]?/y;
/** Words that may follow a number without a space: CPython warns, but reads on. */
const FOLLOWERS = /(?:and|else|for|if|in|is|not|or)/y;
/** A whole number of more than one digit may begin with 0 only when it is zero. */
const isBadZero = (number: string): boolean => /^0[0-9_]+$/.test(number) && /[1-9]/.test(number);

export const numberEnd = (text: string, start: number): number => {
  NUMBER.lastIndex = start;
  const number = NUMBER.exec(text)?.[0];
  if (number === undefined) throw new TokenError('invalid number', start);
  const end = start + number.length;
  if (isBadZero(number)) throw new TokenError('leading zeros in a decimal number', start);
  if (isIdentifierStart(text, end) || isDigit(text.charCodeAt(end))) {
    FOLLOWERS.lastIndex = end;
    if (!FOLLOWERS.test(text)) throw new TokenError('invalid number', start);
  }
  return end;
};

export const isDigit = (char: number): boolean => char >= 0x30 && char <= 0x39;

// Operators and delimiters (Language Reference 2.5, 2.6), with the longest that fits first.
const ALL = [
  '**=',
  '//=',
  '>>=',
  '<<=',
  '...',
  '**',
  '//',
  '>>',
  '<<',
  '<=',
  '>=',
  '==',
  '!=',
  '->',
  '+=',
  '-=',
  '*=',
  '/=',
  '%=',
  '&=',
  '|=',
  '^=',
  '@=',
  ':=',
  '<>',
  ...'+-*/%@&|^~<>()[]{},:.;=',
];

/** By first character, shared by all sources. */
const BY_CHAR: readonly (readonly Token[] | undefined)[] = Array.from({ length: 128 }, (_, char) => {
  const tokens = ALL.filter((text) => text.charCodeAt(0) === char).map((text): Token => ({ kind: 'op', text }));
  return tokens.length === 0 ? undefined : tokens;
});

export const operatorAt = (text: string, at: number): Token | null => {
  const candidates = BY_CHAR[text.charCodeAt(at)];
  if (!candidates) return null;
  for (const token of candidates) if (token.text.length === 1 || text.startsWith(token.text, at)) return token;
  return null;
};

/**
 * The white space before a line (Language Reference 2.1.8): tabs to multiples of 8, and tabs as one to find mixtures.
 */
export type Width = { readonly column: number; readonly narrow: number };

/** The limit of CPython itself. */
const MAX_INDENTS = 100;

export class Indents {
  readonly #open: Width[] = [{ column: 0, narrow: 0 }];

  get depth(): number {
    return this.#open.length - 1;
  }

  /** The number of levels that a line of this width enters (1) or leaves (below 0). */
  enter({ column, narrow }: Width, offset: number): number {
    const top = this.#open.at(-1)!;
    if (column > top.column) {
      if (narrow <= top.narrow) throw mixed(offset);
      if (this.#open.length >= MAX_INDENTS) throw new TokenError('too many levels of indentation', offset);
      this.#open.push({ column, narrow });
      return 1;
    }
    let left = 0;
    while (column < this.#open.at(-1)!.column) {
      this.#open.pop();
      left++;
    }
    const level = this.#open.at(-1)!;
    if (column !== level.column) throw new TokenError('unindent does not match any outer level', offset);
    if (narrow !== level.narrow) throw mixed(offset);
    return -left;
  }
}

const mixed = (offset: number): TokenError => new TokenError('tabs and spaces are mixed in the indentation', offset);

// Where the indentation of a line ends, and how wide it is (Language Reference 2.1.8).
const TAB = 8;

/** `end` is the first character that is no white space. A backslash at the end of a line joins it with the next one. */
export const indentationAt = (text: string, start: number): { readonly end: number; readonly width: Width } => {
  let column = 0;
  let narrow = 0;
  let continued: Width | null = null;
  for (let end = start; ; end++) {
    const char = text.charCodeAt(end);
    if (char === 0x20) {
      column++;
      narrow++;
    } else if (char === 0x09) {
      column = (Math.floor(column / TAB) + 1) * TAB;
      narrow++;
    } else if (char === 0x0c) {
      column = 0;
      narrow = 0;
    } else if (char === 0x5c && text.charCodeAt(end + 1) === 0x0a) {
      continued ??= { column, narrow };
      end++;
    } else return { end, width: continued ?? { column, narrow } };
  }
};

/** The quote with which a string literal begins (Language Reference 2.5). */
export const quoteAt = (text: string, at: number): string => {
  const char = text.charAt(at);
  return text.startsWith(char.repeat(3), at) ? char.repeat(3) : char;
};

/** The place behind the closing quote of a literal whose text begins at `start`; null where it is not closed. */
export const stringEnd = (text: string, start: number, quote: string): number | null => {
  for (let at = start; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x5c) at++;
    else if (char === 0x0a && quote.length === 1) return null;
    else if (char === 0) throw new TokenError('null character', at);
    else if (text.startsWith(quote, at)) return at + quote.length;
  }
  return null;
};
