// When two programs count as the same: one canonical text for all that differ in comments, blank lines, spacing and
// docstrings only (ThetaEvolve 3.3, Lazy Penalty). Names and literals stay. Callers hash the text.
import { withoutDocstrings } from '../python/docstrings.ts';
import { tokenise } from '../python/tokens.ts';
import { written } from '../python/written.ts';
import { languageOf } from './language.ts';

/** The canonical text of a source; of text that is no Python, its non-blank lines, right-trimmed. */
export const normalise = (source: string): string => readSource(source).norm;

/**
 * The canonical text, and why the source is no Python, or null. Of another language: its lines without those that are
 * comments only.
 */
export const readSource = (source: string): { readonly norm: string; readonly error: string | null } => {
  if (languageOf(source).comment === '//')
    return { norm: plainLines(source.replaceAll(/^[ \t]*\/\/.*$/gm, '')), error: null };
  const { tokens, error } = tokenise(source);
  return { norm: tokens === null ? plainLines(source) : written(withoutDocstrings(tokens)), error };
};

/** Begins no canonical text: keeps the two kinds of text apart. */
const PLAIN = '\u0001';

const plainLines = (source: string): string =>
  PLAIN +
  source
    .split(/\r\n?|\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n');
