// Tokens are written as text again, with one form of spacing for all programs.
import type { Token } from './lexical.ts';

/** Single spaces stand between tokens, and one space of indentation for each level. */
export const written = (tokens: readonly Token[], word = ({ text }: Token): string => text): string => {
  let text = '';
  let depth = 0;
  let lineStart = true;
  for (const token of tokens) {
    switch (token.kind) {
      case 'indent':
        depth++;
        break;
      case 'dedent':
        depth--;
        break;
      case 'newline':
        text += '\n';
        lineStart = true;
        break;
      default:
        text += (lineStart ? ' '.repeat(depth) : ' ') + word(token);
        lineStart = false;
    }
  }
  return text;
};

/** `print` by a name that the parser does not take for a statement. */
export const PRINT = 'print_';

/** As @lezer/python reads it: simple literals, because it does not know `2.`, and `print` as any other name. */
export const parseable = ({ kind, text }: Token): string => {
  switch (kind) {
    case 'number':
      return '0';
    case 'string':
      return '""';
    case 'name':
      return text === 'print' ? PRINT : text;
    default:
      return text;
  }
};
