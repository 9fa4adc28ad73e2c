// A Python program as the operators see it: lines, tokens of the open region, statements with their suites. It is built
// once for each prompt.
import { tokenize, type Token } from './lexer.ts';

/** One logical line. `first` to `end` (exclusive) are physical lines; `width` its indent in columns. */
export type LogicalLine = {
  readonly first: number;
  readonly end: number;
  readonly indent: string;
  readonly width: number;
  readonly tokens: readonly Token[];
};

/**
 * A statement with its whole suite and its else/except clauses. `parent` is the first line of the enclosing header,
 * -1 at the top.
 */
export type Statement = {
  readonly first: number;
  readonly end: number;
  readonly indent: string;
  readonly parent: number;
  readonly keyword: string;
  readonly compound: boolean;
  readonly tokens: readonly Token[];
};

/** Lines `first` to `end` (exclusive) may be edited. */
export type Program = {
  readonly lines: readonly string[];
  readonly first: number;
  readonly end: number;
  /** Imports and docstrings of the open region, as text: no mutation changes or drops them. */
  readonly fixed: readonly string[];
  /** Tokens of the open region, without newlines, comments, imports and docstrings. */
  readonly tokens: readonly Token[];
  readonly logical: readonly LogicalLine[];
  readonly statements: readonly Statement[];
};

const CLAUSES = new Set(['else', 'elif', 'except', 'finally']);

export function readProgram(text: string): Program {
  const lines = text.split(/\r?\n/);
  const { first, end } = openRegion(lines);
  const all = logicalLines(lines, tokenize(lines.join('\n')));
  const open = all.filter((line) => line.first >= first && line.end <= end);
  const logical = open.filter((line) => !isFixed(line));
  return {
    lines,
    first,
    end,
    logical,
    fixed: open.filter(isFixed).map((line) => line.tokens.map(({ text }) => text).join(' ')),
    tokens: logical.flatMap((line) => line.tokens),
    statements: statementsOf(all).filter((s) => s.first >= first && s.end <= end),
  };
}

/** Between the EVOLVE-BLOCK markers (ThetaEvolve C.1); without markers the whole file. */
function openRegion(lines: readonly string[]): { first: number; end: number } {
  const start = lines.findIndex((line) => /^\s*(?:#|\/\/|!)\s*EVOLVE-BLOCK-START\b/.test(line));
  if (start < 0) return { first: 0, end: lines.length };
  const stop = lines.findIndex((line, index) => index > start && /^\s*(?:#|\/\/|!)\s*EVOLVE-BLOCK-END\b/.test(line));
  return { first: start + 1, end: stop < 0 ? lines.length : stop };
}

function logicalLines(lines: readonly string[], tokens: readonly Token[]): readonly LogicalLine[] {
  const logical: LogicalLine[] = [];
  let current: Token[] = [];
  const finish = (): void => {
    const head = current[0],
      last = current.at(-1);
    current = [];
    if (head === undefined || last === undefined) return;
    const indent = (lines[head.line] ?? '').slice(0, head.column);
    const members = tokens
      .slice(tokens.indexOf(head), tokens.indexOf(last) + 1)
      .filter((token) => token.kind !== 'comment');
    logical.push({ first: head.line, end: last.endLine + 1, indent, width: columns(indent), tokens: members });
  };
  for (const token of tokens) {
    if (token.kind === 'newline') finish();
    else if (token.kind !== 'comment') current.push(token);
  }
  finish();
  return logical;
}

function columns(indent: string): number {
  let width = 0;
  for (const char of indent) width = char === '\t' ? (Math.floor(width / 8) + 1) * 8 : width + 1;
  return width;
}

/** Docstrings, and imports: a program that loses one of these dies of a NameError, and no search is needed to see that. */
function isFixed({ tokens }: LogicalLine): boolean {
  return ['import', 'from'].includes(tokens[0]?.text ?? '') || tokens.every((token) => token.kind === 'string');
}

function statementsOf(logical: readonly LogicalLine[]): readonly Statement[] {
  return logical.flatMap((line, index) => {
    const keyword = line.tokens[0]?.text ?? '';
    if (CLAUSES.has(keyword) || isFixed(line) || logical[index - 1]?.tokens[0]?.text === '@') return [];
    const end = suiteEnd(logical, index);
    const parent = logical.findLast((other, at) => at < index && other.width < line.width)?.first ?? -1;
    const compound = keyword === '@' || line.tokens.at(-1)?.text === ':';
    return [{ first: line.first, end, indent: line.indent, parent, keyword, compound, tokens: line.tokens }];
  });
}

/**
 * Last physical line (exclusive) of the statement whose header is logical line `index`, clauses and decorated
 * definition included.
 */
function suiteEnd(logical: readonly LogicalLine[], index: number): number {
  const head = logical[index];
  if (head === undefined) return 0;
  let end = head.end,
    decorated = head.tokens[0]?.text === '@';
  for (const line of logical.slice(index + 1)) {
    const clause = CLAUSES.has(line.tokens[0]?.text ?? '');
    if (line.width < head.width || (line.width === head.width && !clause && !decorated)) break;
    decorated = line.width === head.width && line.tokens[0]?.text === '@';
    end = line.end;
  }
  return end;
}
