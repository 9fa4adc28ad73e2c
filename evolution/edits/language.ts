// The language of a program, by its EVOLVE-BLOCK marker. A program says itself in which language it is, by the sign of
// the comment and the name behind the marker: `// EVOLVE-BLOCK-START cpp`. One of several files says it by their names.
import { splitFiles } from '../files/program-files.ts';
import { type Language, LANGUAGE_NAMES, type LanguageName, LANGUAGES } from '../task/languages.ts';

type Shown = Pick<Language, 'comment' | 'fence'>;

const MARKER = /^[ \t]*(#|\/\/|!|<!--)[ \t]*EVOLVE-BLOCK-START\b[ \t]*([a-z]*)/m;
/** Only the sign is known. */
const OTHER: Shown = { comment: '//', fence: '' };

export const languageOf = (code: string): Shown => {
  const files = splitFiles(code);
  if (files !== null) {
    const [first, ...others] = files.map(({ name }) => languageOfFile(name));
    return others.every((other) => other === first) ? first! : OTHER;
  }
  const named = languageNameOf(code);
  if (named !== undefined) return LANGUAGES[named];
  return MARKER.exec(code)?.[1] === '//' ? OTHER : LANGUAGES.python;
};

const languageOfFile = (name: string): Shown => {
  const found = LANGUAGE_NAMES.find((one) => one !== 'text' && name.endsWith(`.${LANGUAGES[one].extension}`));
  return found === undefined ? OTHER : LANGUAGES[found];
};

export const isPythonFile = (name: string): boolean => languageOfFile(name) === LANGUAGES.python;

/** The name behind the marker; undefined for Python, and where only the sign is known. */
export const languageNameOf = (code: string): LanguageName | undefined => {
  const word = MARKER.exec(code)?.[2] ?? '';
  return Object.hasOwn(LANGUAGES, word) ? (word as LanguageName) : undefined;
};

export const isPython = (code: string): boolean => languageOf(code) === LANGUAGES.python;

const START = /^([^\S\r\n]*(?:#|\/\/|!|<!--)[^\S\r\n]*EVOLVE-BLOCK-START)[^\S\r\n]*$/gm;

/** The program with its language in its markers; what has none of them, as text has not, may change all of it. */
export const inLanguage = (code: string, language: LanguageName): string => {
  if (language === 'python') return code;
  if (language === 'text' && !MARKER.test(code))
    return `<!-- EVOLVE-BLOCK-START text -->\n${withoutLastNewlines(code)}\n<!-- EVOLVE-BLOCK-END -->\n`;
  return code.replaceAll(START, `$1 ${language}`);
};

/** A text as its evaluator gets it. */
export const withoutMarkers = (code: string): string =>
  code.replaceAll(/^<!-- EVOLVE-BLOCK-(?:START text|END) -->\n?/gm, '');

/** The text without the newlines at its end. A pattern would take the square of their number. */
export const withoutLastNewlines = (text: string): string => {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\n') end--;
  return text.slice(0, end);
};
