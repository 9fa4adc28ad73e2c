// The open lines of a program, and the closed ones that a child must keep. The child itself is checked, not its blocks:
// two harmless blocks can make a marker, and open code can change the meaning of closed lines.
import type { Lines, Token } from '../python/lexical.ts';
import { boundIn, definedBy, globalsOf, namedIn } from '../python/bindings.ts';
import { tokenise } from '../python/tokens.ts';
import { headedBy, splitFiles } from '../files/program-files.ts';
import { isPython, isPythonFile } from './language.ts';

const START = /^\s*(?:#|\/\/|!|<!--)\s*EVOLVE-BLOCK-START\b/;
const END = /^\s*(?:#|\/\/|!|<!--)\s*EVOLVE-BLOCK-END\b/;
const LINE_END = /\r\n?|\n/;

/** The EVOLVE-BLOCK marker of a line, or null. */
export const markerOf = (line: string): 'start' | 'end' | null =>
  !line.includes('EVOLVE-BLOCK-') ? null : START.test(line) ? 'start' : END.test(line) ? 'end' : null;

export const isFileHead = (line: string): boolean => headedBy(line) !== null;

/**
 * The lines between markers, which may be edited; null, for all, where there are no markers. Of several files each is
 * looked at alone, and the lines that name them stay in any case.
 */
export const openLines = (lines: readonly string[], enforceBlock = true): readonly boolean[] | null => {
  if (headedBy(lines[0]) === null) return enforceBlock ? openOf(lines) : null;
  const starts = lines.flatMap((line, index) => (isFileHead(line) ? [index] : []));
  return starts.flatMap((start, index) => {
    const own = lines.slice(start + 1, starts[index + 1]);
    return [false, ...((enforceBlock ? openOf(own) : null) ?? own.map(() => true))];
  });
};

const openOf = (lines: readonly string[]): readonly boolean[] | null => {
  const markers = lines.map(markerOf);
  if (!markers.includes('start')) return null;
  let inside = false;
  return markers.map((marker) => {
    if (marker === 'end') inside = false;
    const open = inside && marker === null;
    if (marker === 'start') inside = true;
    return open;
  });
};

/** The change of closed code, in words; null where there is none, or the parent has no markers. */
export const closedChange = (parent: string, child: string): string | null => {
  const [files, after] = [splitFiles(parent), splitFiles(child)];
  if (files === null || after === null) return changeOf(parent, child, isPython(parent));
  for (const { name, text } of files) {
    const now = after.find((file) => file.name === name);
    const change = now === undefined ? null : changeOf(text, now.text, isPythonFile(name));
    if (change !== null) return `${name}: ${change}`;
  }
  return null;
};

const changeOf = (parent: string, child: string, python: boolean): string | null => {
  // Python ends a line also where a carriage return stands alone.
  const [before, after] = [parent.split(LINE_END), child.split(LINE_END)];
  const [openBefore, openAfter] = [openOf(before), openOf(after)];
  if (openBefore === null || parent === child) return null;
  if (openAfter === null) return 'the EVOLVE-BLOCK markers are gone';
  const closed = (lines: readonly string[], open: readonly boolean[]): readonly string[] =>
    lines.filter((_, index) => !open[index]);
  const [was, is] = [closed(before, openBefore), closed(after, openAfter)];
  const at = was.findIndex((line, index) => is[index] !== line);
  if (at >= 0 || is.length > was.length) {
    const [expected, got] = [was[at < 0 ? was.length : at], is[at < 0 ? was.length : at]];
    return `expected ${quoted(expected)} as line ${(at < 0 ? was.length : at) + 1} of the code outside the EVOLVE-BLOCK, got ${quoted(got)}`;
  }
  const heads = (lines: readonly string[], open: readonly boolean[]): readonly string[] =>
    lines.filter((line, index) => open[index] && isFileHead(line));
  const known = new Set(heads(before, openBefore));
  const head = heads(after, openAfter).find((line) => !known.has(line));
  if (head !== undefined) return `the EVOLVE-BLOCK holds the head of a file, ${quoted(head)}`;
  return python ? changedMeaning({ parent, openBefore }, { child, openAfter }) : null;
};

/** A line of a program, or its beginning, in quotes. */
export const quoted = (line: string | undefined): string =>
  line === undefined ? 'nothing' : JSON.stringify(line.length > 80 ? `${line.slice(0, 80)}...` : line);

type Before = { readonly parent: string; readonly openBefore: readonly boolean[] };
type After = { readonly child: string; readonly openAfter: readonly boolean[] };

/** The closed lines that Python reads in another place; null where there are none, or the text is no Python. */
const changedMeaning = ({ parent, openBefore }: Before, { child, openAfter }: After): string | null => {
  const [read, made] = [tokenise(parent), tokenise(child)];
  if (read.error !== null || made.error !== null) return null;
  const [was, is] = [placesOf(read, openBefore), placesOf(made, openAfter)];
  const at = was.places.findIndex((place, index) => is.places[index] !== place);
  if (at >= 0) return `line ${at + 1} of the code outside the EVOLVE-BLOCK becomes part of what begins within it`;
  const name = [...is.redefined].find((one) => !was.redefined.has(one));
  return name === undefined ? null : `the EVOLVE-BLOCK defines ${name} anew, which the code outside it defines`;
};

type Places = {
  /** By closed line: what begins on it, or holds it. */
  readonly places: readonly string[];
  /**
   * Names that closed code defines and that open code below binds again, or from within a function. A definition
   * replaces what stands above, and names within functions and classes are others.
   */
  readonly redefined: ReadonlySet<string>;
};

type Read = Lines & { readonly tokens: readonly Token[] };

const placesOf = ({ tokens, lines }: Read, open: readonly boolean[]): Places => {
  let count = 0;
  const numbers = open.map((isOpen) => (isOpen ? -1 : count++));
  const places = Array.from({ length: count }, () => '');
  const headers: number[] = [];
  const defined = new Set<string>();
  const redefined = new Set<string>();
  const global = new Set<string>();
  /** The depth of the outermost function or class that holds the line. */
  let scope: number | null = null;
  for (const [index, { first, last, depth, token }] of lines.entries()) {
    const previous = lines[index - 1];
    headers.length = Math.min(headers.length, depth);
    if (previous !== undefined && previous.depth < depth) headers[depth - 1] = numbers[previous.first]!;
    const number = numbers[first]!;
    const end = lines[index + 1]?.token ?? tokens.length;
    if (scope !== null && depth <= scope) scope = null;
    const name = definedBy(tokens, token);
    if (number >= 0) {
      const decorated = previous !== undefined && numbers[previous.first]! < 0 && tokens[previous.token]?.text === '@';
      places[number] = `${headers.join(' ')}${decorated ? ' @' : ''};`;
      if (depth === 0 && name !== null) defined.add(name);
    } else {
      for (const one of globalsOf(tokens, token, end)) global.add(one);
      if (scope === null) {
        const bound = name === null ? boundIn(tokens, token, end) : [name, ...namedIn(tokens, token, end)];
        for (const one of bound) if (defined.has(one)) redefined.add(one);
        for (const { kind, text } of tokens.slice(token, end))
          if (kind === 'fstring')
            for (const one of defined) if (text.includes(`${one} :=`) || text.includes(`${one}:=`)) redefined.add(one);
      }
    }
    if (scope === null && name !== null) scope = depth;
    // Closed lines within a statement that began above.
    for (let line = first + 1; line <= last; line++)
      if (numbers[line]! >= 0) places[numbers[line]!] = `within ${number < 0 ? 'open code' : number}`;
  }
  for (const name of global) if (defined.has(name)) redefined.add(name);
  return { places, redefined };
};
