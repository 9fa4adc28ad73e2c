// Programs are the same that differ only in comments, blank lines, spacing and docstrings (ThetaEvolve 3.3, Lazy
// Penalty), unless a program may read these. They share a canonical text, which is hashed.
import { withoutDocstrings } from '../python/docstrings.ts';
import type { Token } from '../python/lexical.ts';
import { tokenise } from '../python/tokens.ts';
import { written } from '../python/written.ts';
import { fileHead, splitFiles } from '../files/program-files.ts';
import { isPython, isPythonFile, withoutLastNewlines } from './language.ts';

/** No canonical text of Python begins with this character, which keeps the two kinds of text apart. */
const PLAIN = '\u0001';

/** The lines that are not blank, without white space at their ends. */
const plainLines = (source: string): string =>
  PLAIN +
  source
    .split(/\r\n?|\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n');

/** The canonical text. Of Python that cannot be read: its lines. */
export const normalise = (source: string): string => readSource(source).norm;

/**
 * The canonical text, and why the source is not Python, or null. In another language every character counts: strings of
 * several lines, directives in comments and macros need a whole lexer each.
 */
export const readSource = (source: string): Read => {
  const files = splitFiles(source);
  if (files === null) return readFile(source, isPython(source));
  const read = files.map(({ name, text }) => ({ name, ...readFile(text, isPythonFile(name)) }));
  const wrong = read.find(({ error }) => error !== null);
  return {
    norm: read.map(({ name, norm }) => `${fileHead(name)}\n${norm}\n`).join(''),
    error: wrong === undefined ? null : `${wrong.name}: ${wrong.error}`,
  };
};

type Read = { readonly norm: string; readonly error: string | null };

const readFile = (source: string, python: boolean): Read => {
  if (!python) return { norm: PLAIN + withoutLastNewlines(source), error: null };
  const { tokens, error } = tokenise(source);
  if (tokens === null) return { norm: plainLines(source), error };
  const code = withoutDocstrings(tokens);
  if (code.some(readsSource)) return { norm: plainLines(source), error };
  return { norm: written(code.some(readsDocstrings) ? tokens : code), error };
};

// What a program may read of its own text. A name that may lead there is enough, since nothing shows what it is used
// for: programs are then told apart that behave alike, which costs an evaluation, while two that behave differently
// are never taken for one.
const SOURCE = /^(?:inspect|linecache|tokenize|getsource|getsourcelines|getlines|traceback)$/;
const SOURCE_INSIDE = /\b(?:__loader__|__spec__|__file__|getsource|linecache)\b/;
const DOCSTRINGS =
  /^(?:ast|dis|doctest|pydoc|help|eval|exec|compile|open|getattr|vars|globals|locals|attrgetter|gc|_getframe|f_code|co_consts|getdoc)$/;
const DOCSTRINGS_INSIDE = /\b(?:__doc__|__code__|__dict__|__getattribute__|co_consts)\b/;

const mentions =
  (name: RegExp, inside: RegExp) =>
  ({ kind, text }: Token): boolean =>
    kind === 'name'
      ? name.test(text) || inside.test(text)
      : kind === 'string'
        ? inside.test(text)
        : kind === 'fstring' && (inside.test(text) || (text.match(/\w+/g) ?? []).some((word) => name.test(word)));

const readsSource = mentions(SOURCE, SOURCE_INSIDE);
const readsDocstrings = mentions(DOCSTRINGS, DOCSTRINGS_INSIDE);
