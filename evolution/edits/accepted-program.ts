// With `diff.accept: either`, an example in a fence is not the program, and a program that changes closed code is not
// cut down to one that nobody wrote.
import type { DiffSettings } from '../config/run-config.ts';
import { definitions, importsOf, type Module, moduleNames } from '../python/bindings.ts';
import { tokenise } from '../python/tokens.ts';
import { unboundIn } from '../python/unbound.ts';
import { isFileHead, markerOf, openLines } from './closed.ts';
import { linesOf } from './diff.ts';
import { KEPT, MOVED, withImports } from './imports.ts';
import { isPython, languageNameOf } from './language.ts';

type Settings = Pick<DiffSettings, 'enforceBlock'> & {
  /** The function that a program must define; left out where it is not known. */
  readonly entry?: string | undefined;
};

/**
 * The reason why a text in a fence is not the new program; null where it is. In Python it defines the entry function
 * and the names that closed code uses, and repeats closed code as it is, but for comments, spacing and docstrings. In
 * other languages it has the markers that the parent has; of a text a fence needs none. What is no Python is left to the
 * later check.
 */
export const whyNoProgram = (parent: string, program: string, { enforceBlock, entry }: Settings): string | null => {
  const parentLines = linesOf(parent);
  const open = enforceBlock ? openLines(parentLines) : null;
  const marked = linesOf(program).some((line) => markerOf(line) !== null);
  if (!isPython(parent))
    return open === null || marked || languageNameOf(parent) === 'text'
      ? null
      : 'the program in the fence has no EVOLVE-BLOCK markers';
  const [before, after] = [tokenise(parent), tokenise(program)];
  if (after.tokens === null) {
    const named = entry !== undefined && program.includes(`def ${entry}(`);
    return marked || named ? null : `what the fence holds is no program: ${after.error}`;
  }
  if (before.tokens === null) return null;
  const isOpen = ({ first }: { readonly first: number }): boolean => open === null || open[first]!;
  const closedWords = new Set(
    before.lines.flatMap((line, index) =>
      isOpen(line)
        ? []
        : before.tokens
            .slice(line.token, before.lines[index + 1]?.token)
            .flatMap(({ kind, text }) => (kind === 'name' ? [text] : [])),
    ),
  );
  const closed = definitions(before, (line) => !isOpen(line));
  const own = moduleNames(before, isOpen);
  const names = moduleNames(after, () => true);
  const needed = [...own].filter((name) => name === entry || closedWords.has(name));
  if (entry !== undefined && open === null) needed.push(entry);
  const lacking = needed.find((name) => !names.has(name) && !closed.has(name));
  if (lacking !== undefined)
    return `what the fence holds is not the whole program: it does not define ${lacking}, which the ${lacking === entry ? 'task asks for' : 'code outside the EVOLVE-BLOCK uses'}`;
  const changed = [...definitions(after, () => true)].find(([name, text]) => (closed.get(name) ?? text) !== text);
  return changed === undefined
    ? null
    : `the program in the fence changes ${changed[0]}, which stands outside the EVOLVE-BLOCK and must stay as it is`;
};

type WithNote = { readonly code: string; readonly note: string | null };

/**
 * The child with the imports that stand around the block in the answer's program, and a note; else the child as it is.
 */
export const withOuterImports = (child: string, program: string): WithNote => {
  const [lines, given] = [linesOf(child), tokenise(program)];
  const open = openLines(linesOf(program));
  // Of several files it is not known whose import it is.
  if (given.tokens === null || open === null || lines.some(isFileHead)) return { code: child, note: null };
  const source = linesOf(program);
  const text = importsOf(given)
    .filter(({ line }) => !open[line.first])
    .flatMap(({ line }) => source.slice(line.first, line.last + 1))
    .join('\n');
  const moved = text === '' ? null : withImports(lines, text, 0);
  if (moved === null || 'reason' in moved || moved.lines.length === lines.length) return { code: child, note: null };
  return { code: moved.lines.join('\n'), note: MOVED };
};

/** The child with the imports of its parent that it uses and nothing in it binds, and a note; else the child as it is. */
export const withParentImports = (child: string, parent: string): WithNote => {
  const same = { code: child, note: null };
  const names = new Set(unboundIn(child).map(({ name }) => name));
  const [lines, before, after] = [linesOf(child), tokenise(parent), tokenise(child)];
  if (names.size === 0 || before.tokens === null || after.tokens === null || lines.some(isFileHead)) return same;
  const source = linesOf(parent);
  const kept = importsOf(before)
    .filter((one) => one.names.some((name) => names.has(name)))
    .flatMap(({ line }) => source.slice(line.first, line.last + 1));
  if (kept.length === 0) return same;
  const head = headOf(after);
  const placed = withImports(lines, kept.join('\n'), 0) ?? {
    lines: [...lines.slice(0, head), ...kept, ...lines.slice(head)],
  };
  return 'reason' in placed ? same : { code: placed.lines.join('\n'), note: KEPT };
};

/** The number of lines at the start of a file before which no import may stand: its docstring and its `__future__`. */
const headOf = ({ tokens, lines }: Module): number => {
  const body = lines.findIndex(
    ({ token }, index) =>
      !(index === 0 && tokens[token]!.kind === 'string') && tokens[token + 1]?.text !== '__future__',
  );
  return body > 0 ? lines[body - 1]!.last + 1 : 0;
};
