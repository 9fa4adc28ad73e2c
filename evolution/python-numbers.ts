// Where a Python number ends (Language Reference 2.4.5 to 2.4.7). Called by the lexer.
import { isIdentifierStart } from './python-names.ts';
import { TokenError } from './python-token-error.ts';

const NUMBER = /0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|(?:\d(?:_?\d)*\.?(?:\d(?:_?\d)*)?|\.\d(?:_?\d)*)(?:[eE][+-]?\d(?:_?\d)*)?[jJ]?/y;
/** Words that may follow a number without a space: CPython warns, but reads on. */
const FOLLOWERS = /(?:and|else|for|if|in|is|not|or)/y;
/** A whole number of more than one digit begins with 0 only when it is zero. */
const BAD_ZERO = /^0[0-9_]*[1-9][0-9_]*$/;

export const numberEnd = (text: string, start: number): number => {
  NUMBER.lastIndex = start;
  const number = NUMBER.exec(text)?.[0];
  if (number === undefined) throw new TokenError('invalid number', start);
  const end = start + number.length;
  if (BAD_ZERO.test(number)) throw new TokenError('leading zeros in a decimal number', start);
  if (isIdentifierStart(text, end) || isDigit(text.charCodeAt(end))) {
    FOLLOWERS.lastIndex = end;
    if (!FOLLOWERS.test(text)) throw new TokenError('invalid number', start);
  }
  return end;
};

const isDigit = (char: number): boolean => char >= 0x30 && char <= 0x39;
