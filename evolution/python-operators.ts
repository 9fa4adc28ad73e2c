// Python's operators and delimiters (Language Reference 2.5, 2.6), the longest that fits first. Called by the lexer.
import type { Token } from './python-token.ts';

const ALL = [
  '**=', '//=', '>>=', '<<=', '...',
  '**', '//', '>>', '<<', '<=', '>=', '==', '!=', '->', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '@=', ':=', '<>',
  ...'+-*/%@&|^~<>()[]{},:.;=',
];

/** By first character: tokens that are shared by all sources. */
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
