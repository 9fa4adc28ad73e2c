// Imports that an answer adds outside the open block move to its start: a refusal would fail its other blocks for want
// of a name. The child is checked as ever (closed.ts).
import { importsOf, moduleNames } from '../python/bindings.ts';
import { tokenise } from '../python/tokens.ts';
import { isFileHead, markerOf, openLines } from './closed.ts';
import { surplus } from './reintroduced.ts';

/** The program with the imports in its open block, or why they cannot stand there. */
type WithImports = { readonly lines: readonly string[] } | { readonly reason: string };

export const MOVED =
  'moved: its imports now stand at the start of the EVOLVE-BLOCK, where imports belong; the code outside it stays as it is';

export const KEPT = 'kept: the imports of the program before that it uses and does not bind stand at its start';

/**
 * The imports that a replacement adds outside the block; null where it does anything else. Imports, blank lines and
 * comments that it takes away stay.
 */
export const addedImports = (search: readonly string[], replace: readonly string[]): string | null => {
  const [added, removed] = [surplus(replace, search, withoutEnd), surplus(search, replace, withoutEnd)];
  return (countImports(added) ?? 0) > 0 && countImports(removed) !== null ? added.join('\n') : null;
};

const withoutEnd = (line: string): string => line.trimEnd();

/** The number of imports; null where there is anything but imports, blank lines and comments. */
const countImports = (lines: readonly string[]): number | null => {
  const read = tokenise(lines.join('\n'));
  return read.tokens !== null && importsOf(read).length === read.lines.length ? read.lines.length : null;
};

/**
 * Puts imports that the program lacks at the start of the open block in the file of line `at`. Null where there is no
 * Python or no open block.
 */
export const withImports = (program: readonly string[], text: string, at: number): WithImports | null => {
  const [module, given] = [tokenise(program.join('\n')), tokenise(text)];
  const open = openLines(program);
  const place = placeOf(program, at);
  if (module.tokens === null || given.tokens === null || open === null || place === null) return null;
  const { from, start, end } = place;
  // Names of one file are unknown to the others.
  const here = ({ first }: { readonly first: number }): boolean => from <= first && first < end;
  const present = importsOf(module).filter(({ line }) => here(line));
  const closed = present.filter(({ line }) => !open[line.first]);
  const known = new Set(present.map((one) => one.text));
  const additions = importsOf(given).filter((one) => !known.has(one.text));
  const usedNames = moduleNames(module, (line) => here(line) && !open[line.first]);
  const packages = new Set(closed.flatMap((one) => one.packages));
  for (const { names, packages: own, star, future, text: told } of additions) {
    if (star) return { reason: `\`${told}\` does not say which names it brings: import each by its name` };
    if (future) return { reason: `\`${told}\` counts only at the head of the file, which stays as it is` };
    const name = names.find((one) => usedNames.has(one) && !(own.includes(one) && packages.has(one)));
    if (name !== undefined)
      return { reason: `\`${told}\` would take the name ${name}, which the code outside the EVOLVE-BLOCK uses` };
  }
  const source = text.split('\n');
  const indent = /^\s*/.exec(program[start]!)![0];
  const added = additions.flatMap(({ line }) => source.slice(line.first, line.last + 1).map((one) => indent + one));
  return { lines: [...program.slice(0, start + 1), ...added, ...program.slice(start + 1)] };
};

/** Lines of the file in which a line stands, from `from` to before `end`; its first open block begins at `start`. */
type Place = { readonly from: number; readonly start: number; readonly end: number };

const placeOf = (program: readonly string[], at: number): Place | null => {
  const from = Math.max(0, program.slice(0, at + 1).findLastIndex(isFileHead));
  const next = program.findIndex((line, index) => index > at && isFileHead(line));
  const end = next < 0 ? program.length : next;
  const start = program.findIndex((line, index) => index >= from && markerOf(line) === 'start');
  return start < 0 || start >= end ? null : { from, start, end };
};
