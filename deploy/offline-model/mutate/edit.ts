// Edits of whole lines, and how token edits become them.
import type { Token } from './lexer.ts';
import type { Program } from './program.ts';

/** Replaces lines `first` to `end` (exclusive) of the parent by `lines`; an insertion has first = end. */
export type Edit = { readonly first: number; readonly end: number; readonly lines: readonly string[] };

/** The edits of an operator, with a short text for the answer. */
export type Mutation = { readonly edits: readonly Edit[]; readonly words: string };

export type TokenEdit = { readonly token: Token; readonly text: string };

/** Tokens on one line become one edit; tokens must be distinct and lie within one line each. */
export function editTokens(program: Program, changes: readonly TokenEdit[]): readonly Edit[] {
  const byLine = Map.groupBy(changes, (change) => change.token.line);
  return [...byLine].map(([line, group]) => {
    const ordered = group.toSorted((a, b) => b.token.column - a.token.column);
    const text = ordered.reduce(
      (sofar, { token, text: replacement }) =>
        sofar.slice(0, token.column) + replacement + sofar.slice(token.column + token.text.length),
      program.lines[line] ?? '',
    );
    return { first: line, end: line + 1, lines: [text] };
  });
}

/** Overlapping edits clash, and so does an insertion at the edge of another edit: their order would be unclear. */
export function clash(a: readonly Edit[], b: readonly Edit[]): boolean {
  return a.some((x) =>
    b.some((y) => {
      const touching = x.first <= y.end && y.first <= x.end;
      const insertion = x.first === x.end || y.first === y.end;
      return insertion ? touching : x.first < y.end && y.first < x.end;
    }),
  );
}

/** Lines `first` to `end` of the parent after the edits that lie inside them. */
export function edited(
  lines: readonly string[],
  edits: readonly Edit[],
  first: number,
  end: number,
): readonly string[] {
  const result: string[] = [];
  let at = first;
  for (const edit of edits.toSorted((a, b) => a.first - b.first)) {
    if (edit.first < first || edit.end > end) continue;
    result.push(...lines.slice(at, edit.first), ...edit.lines);
    at = edit.end;
  }
  return [...result, ...lines.slice(at, end)];
}

/** Moves lines from one indentation to another; lines that are less indented than `from` stay as they are. */
export function reindent(lines: readonly string[], from: string, to: string): readonly string[] {
  return lines.map((line) => (line.startsWith(from) ? to + line.slice(from.length) : line));
}
