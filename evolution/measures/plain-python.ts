// A Python program as text that is simple to parse: its tokens without comments, spacing and docstrings. Called by tree-size.ts.
import { withoutDocstrings } from '../docstrings.ts';
import { normalise } from '../equivalence.ts';
import type { Token } from '../python-token.ts';
import { tokenise } from '../python-tokens.ts';

/** A function of the canonical text alone (equivalence.ts); of text that is no Python, that text without the mark that begins it. */
export const plainPython = (code: string): string => {
  const { tokens } = tokenise(code);
  return tokens === null ? normalise(code).slice(1) : written(withoutDocstrings(tokens));
};

/** One space between tokens and for each level of indentation. */
const written = (tokens: readonly Token[]): string => {
  const parts: string[] = [];
  let depth = 0;
  let lineStart = true;
  for (const token of tokens) {
    switch (token.kind) {
      case 'indent': depth++; break;
      case 'dedent': depth--; break;
      case 'newline': parts.push('\n'); lineStart = true; break;
      default:
        parts.push(lineStart ? ' '.repeat(depth) : ' ', plain(token));
        lineStart = false;
    }
  }
  return parts.join('');
};

/** The tree is the same whatever a literal says; and the parser does not know `2.`, and reads `print` as a statement of Python 2. */
const plain = ({ kind, text }: Token): string => {
  switch (kind) {
    case 'number': return '0';
    case 'string': return '""';
    case 'name': return text === 'print' ? 'put' : text;
    default: return text;
  }
};
