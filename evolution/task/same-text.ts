// When two programs in another language than Python are the same but for comments and spacing. Where a text holds what
// only a whole lexer of its language could tell apart, every line counts: programs are then told apart that behave alike,
// which costs an evaluation, while two that behave differently are never taken for one.
import type { Language } from './languages.ts';

/** Raw and long strings, lines that go on, macros that read their own text, other comments, names in backticks. */
const HARD =
  /`|"""|'''|\\\r?\n|\b(?:b?r|(?:u8|[uUL])?R)#*["']|#=|__LINE__|__FILE__|\b(?:line|file|stringify)!|^[ \t]*#[ \t]*define\b[^\n]*#/m;

const DOUBLE = String.raw`"(?:[^"\\\n]|\\.)*"`;
const SINGLE = String.raw`'(?:[^'\\\n]|\\.)*'`;
/** A character, or a sign that begins the name of a lifetime. */
const CHARACTER = String.raw`'(?:[^'\\\n]|\\[^\n']+|\\')'|'`;
const REST = String.raw`[\w.]+|\n|[^\S\n]+|[()[\]{};,]`;

/** A token, or a comment in a group of its own. */
const SCANS: { readonly [comment: string]: RegExp } = {
  '//': new RegExp(
    String.raw`(\/\/[^\n]*|\/\*[^]*?\*\/)|${DOUBLE}|${CHARACTER}|${REST}|(?:(?!\/[/*])[^\w\s"'.()[\]{};,])+|[^]`,
    'g',
  ),
  '#': new RegExp(String.raw`(#[^\n]*)|${DOUBLE}|${SINGLE}|${REST}|[^\w\s"'.#()[\]{};,]+|[^]`, 'g'),
  '!': new RegExp(String.raw`(![^\n]*)|"[^"\n]*"|'[^'\n]*'|${REST}|[^\w\s"'.!()[\]{};,]+|[^]`, 'g'),
};

/** No canonical text of Python begins with this character, which keeps the two kinds of text apart. */
const PLAIN = '\u0001';

export const plainLines = (source: string): string =>
  PLAIN +
  source
    .split(/\r\n?|\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n');

/** The canonical text. */
export const sameText = (source: string, { same, comment }: Pick<Language, 'same' | 'comment'>): string => {
  const scan = SCANS[comment];
  if (scan === undefined || HARD.test(source)) return plainLines(source);
  if (same === 'lines') return plainLines(source.replaceAll(/^[ \t]*\/\/.*$/gm, ''));
  const text = source.replaceAll(/\r\n?/g, '\n');
  const kept: string[] = [];
  for (const [token, isComment] of text.matchAll(scan)) {
    if (token === '\n' || (isComment ?? '').includes('\n')) kept.push('\n');
    else if (isComment !== undefined) kept.push(same === 'tokens' ? '' : ' ');
    else if (same === 'spaced') kept.push(token);
    else if (token.trim() !== '') kept.push(token, ' ');
  }
  return plainLines(kept.join(''));
};
