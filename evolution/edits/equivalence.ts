// Two programs count as the same when they have one canonical text: all programs that differ only in comments, blank
// lines, spacing and docstrings have one canonical text (ThetaEvolve 3.3, Lazy Penalty). Names and literals stay as
// they are. Programs are compared by the hash of this text.
import { withoutDocstrings } from '../python/docstrings.ts';
import { tokenise } from '../python/tokens.ts';
import { written } from '../python/written.ts';
import { languageOf } from './language.ts';

/**
 * The canonical text of a source. Of a text that is not Python, it is the lines that are not blank, without the white
 * space at their ends.
 */
export const normalise = (source: string): string => readSource(source).norm;

/**
 * The canonical text, and the reason why the source is not Python, or null. Of another language, the lines without
 * those that hold only a comment.
 */
export const readSource = (source: string): { readonly norm: string; readonly error: string | null } => {
  if (languageOf(source).comment === '//')
    return { norm: plainLines(source.replaceAll(/^[ \t]*\/\/.*$/gm, '')), error: null };
  const { tokens, error } = tokenise(source);
  return { norm: tokens === null ? plainLines(source) : written(withoutDocstrings(tokens)), error };
};

/** No canonical text of Python begins with this character, which keeps the two kinds of text apart. */
const PLAIN = '\u0001';

const plainLines = (source: string): string =>
  PLAIN +
  source
    .split(/\r\n?|\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n');
