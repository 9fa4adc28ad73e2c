// The language of a program, by its EVOLVE-BLOCK marker, and the files in its text. A program says itself in which
// language it is, by the sign of the comment and the name behind the marker: `// EVOLVE-BLOCK-START cpp`.
import { type Language, type LanguageName, LANGUAGES } from '../task/languages.ts';

type Shown = Pick<Language, 'comment' | 'fence'>;

const MARKER = /^[ \t]*(#|\/\/|!|<!--)[ \t]*EVOLVE-BLOCK-START\b[ \t]*([a-z]*)/m;
/** Only the sign is known. */
const OTHER: Shown = { comment: '//', fence: '' };

export const languageOf = (code: string): Shown => {
  const named = languageNameOf(code);
  if (named !== undefined) return LANGUAGES[named];
  return MARKER.exec(code)?.[1] === '//' ? OTHER : LANGUAGES.python;
};

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

// A program of several files is one text: each file begins with a line that names it, and the first one is the
// program's own. Only that line is ours; what is between belongs to the files. The sandbox splits the text by the same
// rule (activities/sandbox/guest/files.py).
type ProgramFile = { readonly name: string; readonly text: string };

const HEAD = /^# === FILE: ([A-Za-z_]\w*(?:\/[A-Za-z_]\w*)*\.py) ===$/;

export const fileHead = (name: string): string => `# === FILE: ${name} ===`;

export const joinFiles = (files: readonly ProgramFile[]): string =>
  files.map(({ name, text }) => `${fileHead(name)}\n${withoutLastNewlines(text)}\n`).join('\n');

/** The files in their order; null where the text is one file, because its first line names none. */
export const splitFiles = (code: string): readonly ProgramFile[] | null => {
  const lines = code.split('\n');
  if (!HEAD.test(lines[0] ?? '')) return null;
  const files: { name: string; lines: string[] }[] = [];
  for (const line of lines) {
    const name = HEAD.exec(line)?.[1];
    if (name === undefined) files.at(-1)!.lines.push(line);
    else files.push({ name, lines: [] });
  }
  return files.map((file) => ({ name: file.name, text: `${withoutLastNewlines(file.lines.join('\n'))}\n` }));
};

/** The text without the newlines at its end. A pattern would take the square of their number. */
export const withoutLastNewlines = (text: string): string => {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\n') end--;
  return text.slice(0, end);
};
