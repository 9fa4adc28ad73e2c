// A program's language, by the sign before its EVOLVE-BLOCK marker, and the files in its text.
type Language = {
  /** Begins a comment that reaches to the end of the line. */
  readonly comment: '#' | '//';
  /** The word behind the fence of a program in a prompt; empty where only the sign is known. */
  readonly fence: 'python' | '';
};

const PYTHON: Language = { comment: '#', fence: 'python' };
const OTHER: Language = { comment: '//', fence: '' };

export const languageOf = (code: string): Language =>
  /^[ \t]*\/\/[ \t]*EVOLVE-BLOCK-START\b/m.test(code) ? OTHER : PYTHON;

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
