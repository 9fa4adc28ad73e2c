// A program of several files is one text: a line names each file, and the lines after it are that file. The first file
// is the main one. The sandbox splits the text by the same rule (activities/sandbox/guest/files.py).
export type ProgramFile = { readonly name: string; readonly text: string };

const HEAD = /^# === FILE: ([^\r]*) ===$/;

export const fileHead = (name: string): string => `# === FILE: ${name} ===`;

/** The name of the file that a line begins; null where it begins none. */
export const headedBy = (line: string | undefined): string | null => HEAD.exec(line ?? '')?.[1] ?? null;

/** A blank line ends each file that ends with a newline, so that splitting gives the same files. */
export const joinFiles = (files: readonly ProgramFile[]): string =>
  files.map(({ name, text }) => `${fileHead(name)}\n${text}`).join('\n');

/** The files in their order; null where the text is one file, because its first line names none, or a name is no path. */
export const splitFiles = (code: string): readonly ProgramFile[] | null => {
  const lines = code.split('\n');
  if (headedBy(lines[0]) === null) return null;
  const files: { name: string; lines: string[] }[] = [];
  for (const line of lines) {
    const name = headedBy(line);
    if (name === null) files.at(-1)!.lines.push(line);
    else files.push({ name, lines: [] });
  }
  return files.every(({ name }) => isFilePath(name))
    ? files.map((file) => ({ name: file.name, text: file.lines.join('\n') }))
    : null;
};

/** True for a path that stays within its folder, on every system. */
export const isFilePath = (name: string): boolean =>
  // eslint-disable-next-line no-control-regex
  !/[\u0000-\u001f\u007f\\]/.test(name) && name.split('/').every((part) => !['', '.', '..'].includes(part));

/** The folders that a file is in. */
export const foldersOf = (name: string): readonly string[] =>
  name
    .split('/')
    .slice(0, -1)
    .map((_part, index, parts) => parts.slice(0, index + 1).join('/'));

/** True where a part is hidden: what .git and the like hold is run by tools of the host. git~1 is .git on Windows. */
export const isHiddenPath = (name: string): boolean => name.split('/').some((part) => /^(?:\.|git~\d)/i.test(part));

export const MAX_PROGRAM_FILES = 100;

/** What a task says of the files that programs may add. */
export type FileRules = {
  readonly mayAdd: (path: string) => boolean;
};

/**
 * The reason why the files of a program are refused. Null where they are those of the initial program in their order,
 * and behind them only files that the task lets programs add. A program of one file stays one.
 */
export const filesProblem = (
  initial: string,
  code: string,
  { mayAdd }: FileRules = { mayAdd: () => false },
): string | null => {
  const [before, after] = [splitFiles(initial), splitFiles(code)];
  if (before === null) return after === null ? null : `the program begins with the head of a file, ${after[0]!.name}`;
  if (after === null) return brokenHead(code);
  const names = after.map(({ name }) => name);
  const at = before.findIndex(({ name }, index) => names[index] !== name);
  if (at >= 0)
    return `expected the file ${before[at]!.name}, got ${names[at] === undefined ? 'no further file' : `the head of a file ${quoted(names[at])}`}: files keep their names and their order, and new ones stand behind them`;
  const added = names.slice(before.length);
  if (added.length > 0 && names.length > MAX_PROGRAM_FILES)
    return `the program has ${names.length} files, expected at most ${MAX_PROGRAM_FILES}`;
  const wrong = added.find((name) => !mayAdd(name));
  if (wrong !== undefined)
    return `the head of a file ${quoted(wrong)} names none that may change or be added: only ${before.map(({ name }) => name).join(', ')} may change`;
  const [files, folders] = [new Set(names), new Set(names.flatMap(foldersOf))];
  const clash = added.find(
    (name, index) =>
      names.indexOf(name) < before.length + index ||
      folders.has(name) ||
      foldersOf(name).some((folder) => files.has(folder)),
  );
  if (clash !== undefined) return `the file ${quoted(clash)} stands where another file or its folder is`;
  const binary = after.find(({ text }) => text.includes('\0'));
  return binary === undefined ? null : `the file ${binary.name} holds a NUL character, expected text`;
};

const brokenHead = (code: string): string => {
  const wrong = code
    .split('\n')
    .flatMap((line) => headedBy(line) ?? [])
    .find((name) => !isFilePath(name));
  return wrong === undefined
    ? 'the line that names the first file is gone'
    : `the head of a file ${quoted(wrong)} names no path within the program: expected one without ".." or a "/" in front`;
};

const quoted = (name: string): string => JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}...` : name);
