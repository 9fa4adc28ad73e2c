// A lexer for Python 3.12 (Language Reference 2; PEP 701): CPython's token stream without comments and blank lines.
import {
  identifierEnd,
  indentationAt,
  Indents,
  isDigit,
  isIdentifierStart,
  LineCounter,
  type Lines,
  type LogicalLine,
  numberEnd,
  operatorAt,
  quoteAt,
  stringEnd,
  type Token,
  TokenError,
} from './lexical.ts';

type Tokens =
  | ({ readonly tokens: readonly Token[]; readonly error: null } & Lines)
  | { readonly tokens: null; readonly error: string };

/** The limit of CPython itself: sources with more open brackets do not compile. */
const MAX_BRACKETS = 200;

const NEWLINE: Token = { kind: 'newline', text: '\n' };
const INDENT: Token = { kind: 'indent', text: '' };
const DEDENT: Token = { kind: 'dedent', text: '' };

const CLOSES: { readonly [bracket: string]: string } = { ')': '(', ']': '[', '}': '{' };
const PREFIX = /^(?:[rbuf]|br|rb|fr|rf)$/i;

/** Reads a whole source text. `error` says in a few words, with the line, why the text is not Python. */
export const tokenise = (source: string): Tokens => {
  const text = source.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const lexer = new Lexer(text);
  try {
    return { tokens: lexer.file(), lines: lexer.lines, error: null };
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    return { tokens: null, error: `line ${new LineCounter(text).lineAt(error.offset) + 1}: ${error.message}` };
  }
};

class Lexer {
  readonly #text: string;
  readonly #brackets: { readonly char: string; readonly at: number }[] = [];
  readonly #indents = new Indents();
  readonly lines: LogicalLine[] = [];
  readonly #count: LineCounter;
  #at = 0;
  /** The last closing brace that was looked for; -1: there is none up to the end. */
  #brace = -2;
  #tokens: Token[] = [];

  constructor(text: string) {
    this.#text = text;
    this.#count = new LineCounter(text);
  }

  file(): readonly Token[] {
    const { length } = this.#text;
    while (this.#at < length) {
      if (!this.#indentation()) continue;
      const [token, first] = [this.#tokens.length, this.#count.lineAt(this.#at)];
      this.#logicalLine();
      this.lines.push({ token, depth: this.#indents.depth, first, last: this.#count.lineAt(this.#at - 1) });
    }
    for (let level = this.#indents.depth; level > 0; level--) this.#tokens.push(DEDENT);
    return this.#tokens;
  }

  /** Measures the white space that begins a line; false when the line is blank. */
  #indentation(): boolean {
    const { end, width } = indentationAt(this.#text, this.#at);
    this.#at = end;
    const next = this.#text.charCodeAt(this.#at);
    if (next === 0x23) this.#comment();
    if (Number.isNaN(this.#text.charCodeAt(this.#at))) return false;
    if (this.#text.charCodeAt(this.#at) === 0x0a) {
      this.#at++;
      return false;
    }
    const levels = this.#indents.enter(width, this.#at);
    if (levels > 0) this.#tokens.push(INDENT);
    for (let left = levels; left < 0; left++) this.#tokens.push(DEDENT);
    return true;
  }

  #logicalLine(): void {
    for (;;) {
      this.#blanks();
      const char = this.#text.charCodeAt(this.#at);
      if (Number.isNaN(char)) {
        const open = this.#brackets.at(-1);
        if (open !== undefined) throw new TokenError(`'${open.char}' was never closed`, open.at);
        this.#tokens.push(NEWLINE);
        return;
      }
      if (char === 0x23) {
        this.#comment();
        continue;
      }
      if (char === 0x0a) {
        this.#at++;
        if (this.#brackets.length > 0) continue;
        this.#tokens.push(NEWLINE);
        return;
      }
      this.#token(char);
    }
  }

  /** Skips spaces between tokens, and backslashes that join lines. */
  #blanks(): void {
    for (; ; this.#at++) {
      const char = this.#text.charCodeAt(this.#at);
      if (char === 0x5c) {
        if (this.#text.charCodeAt(this.#at + 1) !== 0x0a)
          throw this.#error('unexpected character after a line continuation');
        this.#at++;
        if (this.#at + 1 >= this.#text.length) throw this.#error('unexpected end of file after a line continuation');
      } else if (char !== 0x20 && char !== 0x09 && char !== 0x0c) return;
    }
  }

  #comment(): void {
    const end = this.#text.indexOf('\n', this.#at);
    const comment = this.#text.slice(this.#at, end < 0 ? this.#text.length : end);
    if (comment.includes('\0')) throw this.#error('null character');
    this.#at += comment.length;
  }

  #token(char: number): void {
    const start = this.#at;
    if (isIdentifierStart(this.#text, start)) {
      const end = identifierEnd(this.#text, start);
      const quote = this.#text.charCodeAt(end);
      if (end - start <= 2 && (quote === 0x22 || quote === 0x27) && PREFIX.test(this.#text.slice(start, end)))
        this.#string(start, end);
      else this.#push('name', start, end);
    } else if (char === 0x22 || char === 0x27) {
      this.#string(start, start);
    } else if (isDigit(char) || (char === 0x2e && isDigit(this.#text.charCodeAt(start + 1)))) {
      this.#push('number', start, numberEnd(this.#text, start));
    } else this.#operator(start);
  }

  #operator(start: number): void {
    const token = operatorAt(this.#text, start);
    if (token === null)
      throw this.#error(`unexpected character ${JSON.stringify(String.fromCodePoint(this.#text.codePointAt(start)!))}`);
    this.#bracket(token.text);
    this.#tokens.push(token);
    this.#at = start + token.text.length;
  }

  #bracket(char: string): void {
    if (char === '(' || char === '[' || char === '{') {
      if (this.#brackets.length >= MAX_BRACKETS) throw this.#error('too many nested brackets');
      this.#brackets.push({ char, at: this.#at });
      return;
    }
    const opening = CLOSES[char];
    if (opening !== undefined && this.#brackets.pop()?.char !== opening)
      throw this.#error(`'${char}' closes no bracket of its kind`);
  }

  #push(kind: Token['kind'], start: number, end: number): void {
    this.#tokens.push({ kind, text: this.#text.slice(start, end) });
    this.#at = end;
  }

  #string(start: number, at: number): void {
    const quote = quoteAt(this.#text, at);
    const prefix = this.#text.slice(start, at).toLowerCase();
    if (prefix.includes('f')) return this.#fString(start, at, quote, prefix.includes('r'));
    const end = stringEnd(this.#text, at + quote.length, quote);
    if (end !== null) return this.#push('string', start, end);
    throw this.#error('a string literal is not closed');
  }

  #fString(start: number, at: number, quote: string, raw: boolean): void {
    this.#at = at + quote.length;
    const body = this.#fLiteral(quote, raw, false);
    if (!this.#text.startsWith(quote, this.#at)) throw new TokenError('an f-string is not closed', start);
    this.#at += quote.length;
    this.#tokens.push({ kind: 'fstring', text: this.#text.slice(start, at) + quote + body + quote });
  }

  /** Literal text and fields up to the closing quote or, in a format specification, the brace that ends its field. */
  #fLiteral(quote: string, raw: boolean, specification: boolean): string {
    let result = '';
    let from = this.#at;
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      if (this.#text.startsWith(quote, this.#at) || (char === '\n' && quote.length === 1)) break;
      if (char === '\0') throw this.#error('null character');
      if (char === '\\') {
        const next = this.#text.charAt(this.#at + 1);
        const named = !raw && next === 'N' && this.#text.charAt(this.#at + 2) === '{' ? this.#braceAfter(this.#at) : -1;
        this.#at = named >= 0 ? named + 1 : this.#at + (next === '{' || next === '}' ? 1 : 2);
      } else if (char === '{' && (specification || this.#text.charAt(this.#at + 1) !== '{')) {
        result += this.#text.slice(from, this.#at) + this.#field(quote, raw);
        from = this.#at;
      } else if (char === '}' && specification) break;
      else if (char === '{') this.#at += 2;
      else if (char === '}') {
        if (this.#text.charAt(this.#at + 1) !== '}') throw this.#error("f-string: a single '}' is not allowed");
        this.#at += 2;
      } else this.#at++;
    }
    return result + this.#text.slice(from, this.#at);
  }

  /** The next closing brace, or -1; looked for once for all places before it. */
  #braceAfter(at: number): number {
    if (this.#brace !== -1 && this.#brace < at) this.#brace = this.#text.indexOf('}', at);
    return this.#brace;
  }

  /** A replacement field: its tokens with single spaces; with `=` the text itself, because the program prints it. */
  #field(quote: string, raw: boolean): string {
    const outer = this.#tokens;
    const depth = this.#brackets.length;
    this.#tokens = [];
    this.#bracket('{');
    const start = ++this.#at;
    let tail = '';
    let debug = false;
    for (;;) {
      this.#blanks();
      const char = this.#text.charAt(this.#at);
      if (char === '') throw this.#error("f-string: '{' was never closed");
      if (char === '\n') {
        this.#at++;
        continue;
      }
      if (char === '#') {
        this.#comment();
        continue;
      }
      if (this.#brackets.length === depth + 1) {
        if (
          char === '=' &&
          /^=\s*[!:}]/.test(this.#text.slice(this.#at, this.#at + 64)) &&
          this.#text.charAt(this.#at + 1) !== '='
        ) {
          debug = true;
          this.#at++;
          this.#blanks();
          continue;
        }
        if (char === '}') break;
        if ((char === '!' && this.#text.charAt(this.#at + 1) !== '=') || char === ':') {
          tail = this.#fieldTail(quote, raw);
          break;
        }
      }
      this.#token(char.charCodeAt(0));
    }
    const tokens = this.#tokens;
    this.#tokens = outer;
    this.#brackets.pop();
    const end = this.#at++;
    if (tokens.length === 0) throw this.#error('f-string: an empty expression is not allowed');
    return debug ? `{${this.#text.slice(start, end)}}` : `{ ${tokens.map((token) => token.text).join(' ')} ${tail}}`;
  }

  #fieldTail(quote: string, raw: boolean): string {
    let tail = '';
    if (this.#text.charAt(this.#at) === '!') {
      const start = ++this.#at;
      this.#blanks();
      const end = isIdentifierStart(this.#text, this.#at) ? identifierEnd(this.#text, this.#at) : this.#at;
      tail = `!${this.#text.slice(this.#at, end)}`;
      if (end === start) throw this.#error('f-string: expected a conversion after !');
      this.#at = end;
      this.#blanks();
    }
    if (this.#text.charAt(this.#at) === ':') {
      this.#at++;
      tail += `:${this.#fLiteral(quote, raw, true)}`;
    }
    if (this.#text.charAt(this.#at) !== '}') throw this.#error("f-string: expected '}'");
    return tail;
  }

  #error(message: string): TokenError {
    return new TokenError(message, this.#at);
  }
}
