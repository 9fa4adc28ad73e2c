// A whole program in a fence, in place of SEARCH/REPLACE blocks (`diff.accept`), as OpenEvolve has it.
import type { DiffSettings } from '../config/run-config.ts';
import { closedChange, markerOf, openLines } from './closed.ts';
import { linesOf } from './diff.ts';
import {
  type FileRules,
  filesProblem,
  headedBy,
  joinFiles,
  type ProgramFile,
  splitFiles,
} from '../files/program-files.ts';
import { inLanguage, languageNameOf, withoutLastNewlines } from './language.ts';
import { isAlmostMarker, isBlockMarker } from './markers.ts';
import { tokenise } from '../python/tokens.ts';

/** The program, or the reason why there is none. */
type FencedProgram = { readonly program: string } | { readonly reason: string };
/** The child, or the reason why there is none. */
type Replaced = { readonly code: string } | { readonly reason: string };

/** Said of an answer without a fence that could be a program. */
export const NO_PROGRAM = 'no program in a fence in the answer';

/** The most fences of an answer that are read. */
const MOST_FENCES = 20;

type Fence = {
  readonly language: string;
  readonly lines: readonly string[];
  readonly closed: boolean;
  /** The line that opens it holds code. */
  readonly codeBehind: boolean;
};

const MARKS = /^ {0,3}(`{3,}|~{3,})/;
const LANGUAGE = /^[ \t]*([^\s`]*)/;
/** Code of Python behind the marks of a fence, with or without the name of the language. */
const CODE = /^[ \t]*(?:python3?[ \t]+)?(?:(?:import|from|def|class|async)[ \t]|@\w|"{3}|'{3})/;
const PYTHON: ReadonlySet<string> = new Set(['python', 'py', 'python3']);

/**
 * The first fence of the wanted language, else without one, else of all; neither with block markers nor empty. `refused` says
 * why a text is no program; the reason of the first is given where none is.
 */
export const readProgram = (
  answer: string,
  refused: (program: string) => string | null = () => null,
  wanted = 'python',
): FencedProgram => {
  const fences = fencesOf(linesOf(answer));
  const programs = fences.filter(
    ({ lines, closed }) =>
      closed &&
      !lines.some((line) => isBlockMarker(line) || isAlmostMarker(line)) &&
      lines.some((line) => line.trim() !== ''),
  );
  const rank = ({ language }: Fence): number =>
    language === wanted || (wanted === 'python' && PYTHON.has(language)) ? 0 : language === '' ? 1 : 2;
  let reason: string | null = null;
  for (const fence of programs.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST_FENCES)) {
    const program = `${fence.lines.join('\n')}\n`;
    const doubt = doubtOf(fence, program, wanted);
    if (doubt !== null) return { reason: doubt };
    const why = refused(program);
    if (why === null) return { program };
    reason ??= why;
  }
  if (reason !== null) return { reason };
  return {
    reason: fences.some(({ closed }) => !closed) ? NOT_CLOSED : NO_PROGRAM,
  };
};

/** The files in the fences of an answer that begin with the line that names one, as one text. */
export const readFiles = (answer: string): FencedProgram => {
  const fences = fencesOf(linesOf(answer)).filter(
    ({ lines }) => headedBy(lines[0]) !== null && !lines.some((line) => isBlockMarker(line) || isAlmostMarker(line)),
  );
  if (fences.length === 0) return { reason: NO_PROGRAM };
  return fences.every(({ closed }) => closed)
    ? { program: fences.map(({ lines }) => `${lines.join('\n')}\n`).join('\n') }
    : { reason: NOT_CLOSED };
};

const NOT_CLOSED = 'the fence of the program is not closed';

const TRIPLE = /"{3}|'{3}/;

/** Why nobody can know what the whole program is; null where it is what the fence holds. */
const doubtOf = ({ language, codeBehind }: Fence, program: string, wanted: string): string | null => {
  if (codeBehind)
    return `a line that opens a fence holds code: write \`\`\`${wanted} alone on its line, and the program below`;
  if (language === 'diff' || language === 'patch') return 'the fence holds a diff: write the whole program in it';
  if (wanted !== 'python' || !TRIPLE.test(program)) return null;
  const line = /^line (\d+): .*string.* not closed/.exec(tokenise(program).error ?? '')?.[1];
  return TRIPLE.test(program.split('\n')[Number(line) - 1] ?? '')
    ? 'the fence ends within a text in triple quotes: put the program between fences of four backticks'
    : null;
};

/**
 * Replaces the lines between the EVOLVE-BLOCK markers, or the whole file where nothing is closed. A program with
 * markers gives what stands between its own; one without them all of its text, less the lines that it repeats from
 * around the block. Closed lines stay. Of several files those that the program names are replaced so, and its others are new.
 */
export const replaceProgram = (
  parent: string,
  program: string,
  { enforceBlock }: Pick<DiffSettings, 'enforceBlock'>,
): Replaced => {
  const files = splitFiles(parent);
  if (files !== null) return replaceFiles(files, program, { enforceBlock });
  const lines = linesOf(parent);
  const open = enforceBlock ? blocksOf(lines) : [];
  if (open.length === 0) return { code: program };
  const given = linesOf(program.replace(/\n$/, ''));
  const marked = blocksOf(given);
  if (given.some(isMarker) && (marked.length !== open.length || given.filter(isMarker).length !== 2 * marked.length)) {
    return {
      reason: `marker broken: expected ${open.length} pair${open.length === 1 ? '' : 's'} of EVOLVE-BLOCK markers, or none, in the program`,
    };
  }
  if (marked.length > 0)
    return {
      code: filled(
        lines,
        open,
        marked.map(({ start, end }) => given.slice(start, end)),
      ),
    };
  if (open.length > 1)
    return { reason: `the program to change has ${open.length} EVOLVE-BLOCKs: expected their markers in the answer` };
  return { code: filled(lines, open, [withoutSurroundings(given, lines, open[0]!)]) };
};

const replaceFiles = (
  files: readonly ProgramFile[],
  program: string,
  settings: Pick<DiffSettings, 'enforceBlock'>,
): Replaced => {
  const given = splitFiles(program)?.map(({ name, text }) => ({ name, text: `${withoutLastNewlines(text)}\n` }));
  if (given === undefined) return { reason: filesProblem(joinFiles(files), program) ?? NO_PROGRAM };
  const children: ProgramFile[] = [];
  for (const { name, text } of files) {
    const own = given.find((file) => file.name === name);
    const same = own === undefined || own.text === `${withoutLastNewlines(text)}\n`;
    const replaced = same ? { code: text } : replaceProgram(text, own.text, settings);
    if ('reason' in replaced) return { reason: `${name}: ${replaced.reason}` };
    children.push({ name, text: replaced.code });
  }
  const added = given.filter(({ name }) => !files.some((file) => file.name === name));
  return { code: joinFiles([...children, ...added]) };
};

/**
 * A person's program, held against the closed code of the initial program, which every program of a run has. With
 * markers, closed code must be the same but for white space at ends; without, it is read as an answer. Where the
 * initial program has no markers, it is taken whole.
 */
export const givenProgram = (
  initial: string,
  text: string,
  { enforceBlock }: Pick<DiffSettings, 'enforceBlock'>,
  rules?: FileRules,
): Replaced => {
  if (splitFiles(initial) !== null) return givenFiles(initial, linesOf(text).join('\n'), { enforceBlock }, rules);
  const lines = linesOf(initial);
  const given = inLanguage(text, languageNameOf(initial) ?? 'python');
  if (!enforceBlock || openLines(lines) === null) return { code: given };
  const blockCount = blocksOf(lines).length;
  if (linesOf(given).some(isMarker)) {
    const changed = closedChange(withoutEnds(initial), withoutEnds(given));
    if (changed !== null) return { reason: changed };
  } else if (blockCount > 1)
    return { reason: `expected ${blockCount} pairs of EVOLVE-BLOCK markers in the program, got none` };
  const replaced = replaceProgram(initial, given, { enforceBlock });
  if ('reason' in replaced) return replaced;
  const changed = closedChange(lines.join('\n'), linesOf(replaced.code).join('\n'));
  return changed === null ? replaced : { reason: changed };
};

const givenFiles = (
  initial: string,
  text: string,
  settings: Pick<DiffSettings, 'enforceBlock'>,
  rules: FileRules | undefined,
): Replaced => {
  const replaced = replaceProgram(initial, text, settings);
  if ('reason' in replaced) return replaced;
  const problem =
    filesProblem(initial, replaced.code, rules) ??
    (settings.enforceBlock ? closedChange(initial, joinFiles(replacedOnly(initial, text))) : null);
  return problem === null ? replaced : { reason: problem };
};

/** What a person's text makes of the files of the initial program, closed code included. */
const replacedOnly = (initial: string, text: string): readonly ProgramFile[] =>
  splitFiles(initial)!.map((file) => splitFiles(text)!.find(({ name }) => name === file.name) ?? file);

const withoutEnds = (text: string): string =>
  linesOf(text)
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd();

/** The lines between a pair of markers, from `start` to before `end`. */
type Span = { readonly start: number; readonly end: number };

/** The lines between markers that form a complete pair. */
const blocksOf = (lines: readonly string[]): readonly Span[] => {
  const spans: Span[] = [];
  let start: number | null = null;
  for (const [index, line] of lines.entries()) {
    if (markerOf(line) === 'start') start = index + 1;
    else if (markerOf(line) === 'end' && start !== null) {
      spans.push({ start, end: index });
      start = null;
    }
  }
  return spans;
};

const isMarker = (line: string): boolean => markerOf(line) !== null;

const filled = (lines: readonly string[], spans: readonly Span[], contents: readonly (readonly string[])[]): string => {
  const parts: (readonly string[])[] = [];
  let from = 0;
  for (const [index, { start, end }] of spans.entries()) {
    parts.push(lines.slice(from, start), contents[index]!);
    from = end;
  }
  return [...parts, lines.slice(from)].flat().join('\n');
};

/** The given lines without the file's lines before and after the block, where they begin or end with all of them. */
const withoutSurroundings = (
  given: readonly string[],
  lines: readonly string[],
  { start, end }: Span,
): readonly string[] => {
  const text = withoutBlankEnds(given);
  const head = withoutBlankEnds(lines.slice(0, start - 1));
  const tail = withoutBlankEnds(lines.slice(end + 1));
  const from = head.length > 0 && stands(head, text, 0) ? head.length : 0;
  const to =
    tail.length > 0 && tail.length <= text.length - from && stands(tail, text, text.length - tail.length)
      ? text.length - tail.length
      : text.length;
  return withoutBlankEnds(text.slice(from, to));
};

/** White space that ends a line does not count. */
const stands = (some: readonly string[], text: readonly string[], at: number): boolean =>
  some.every((line, index) => text[at + index]?.trimEnd() === line.trimEnd());

const withoutBlankEnds = (lines: readonly string[]): readonly string[] => {
  const isText = (line: string): boolean => line.trim() !== '';
  const first = lines.findIndex(isText);
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex(isText) + 1);
};

const fencesOf = (lines: readonly string[]): readonly Fence[] => {
  const fences: Fence[] = [];
  let open: (Omit<Fence, 'closed'> & { readonly marks: string; readonly lines: string[] }) | null = null;
  for (const line of lines) {
    if (open !== null) {
      const closing = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1];
      if (closing?.startsWith(open.marks)) {
        fences.push({ ...open, closed: true });
        open = null;
      } else open.lines.push(line);
      continue;
    }
    const opening = MARKS.exec(line);
    const rest = line.slice(opening?.[0].length);
    if (opening !== null && !rest.includes('`'))
      open = {
        ...{ marks: opening[1]!, language: LANGUAGE.exec(rest)![1]!.toLowerCase(), lines: [] },
        codeBehind: CODE.test(rest),
      };
  }
  if (open !== null) fences.push({ ...open, closed: false });
  return fences;
};
