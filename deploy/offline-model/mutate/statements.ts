// Operators on whole statements: duplicate, move, exchange, delete, repeat in a loop. Indentation is kept right.
import { type Mutation, reindent } from './edit.ts';
import { isNumeric, perturbed } from './literals.ts';
import { type Program, readProgram, type Statement } from './program.ts';
import type { Random } from './random.ts';

const FIXED = new Set(['def', 'class', 'return', 'global', 'nonlocal', '@']);

function movable(program: Program): readonly Statement[] {
  return program.statements.filter((statement) => !FIXED.has(statement.keyword));
}

function textOf(program: Program, statement: Statement): readonly string[] {
  return program.lines.slice(statement.first, statement.end);
}

/** A copy right after the statement; half of the copies have one literal changed. */
export function duplicateStatement(program: Program, random: Random): Mutation | null {
  const statement = random.pick(movable(program));
  if (statement === undefined) return null;
  const copy = random.chance(0.5)
    ? textOf(program, statement)
    : withOneLiteralChanged(textOf(program, statement), random);
  return {
    edits: [{ first: statement.end, end: statement.end, lines: copy }],
    words: `duplicated a statement of ${copy.length} line${copy.length === 1 ? '' : 's'}`,
  };
}

export function withOneLiteralChanged(lines: readonly string[], random: Random): readonly string[] {
  const literals = readProgram(lines.join('\n')).tokens.filter(isNumeric);
  const token = random.pick(literals);
  if (token === undefined) return lines;
  const changed = perturbed(token.text, literals, random);
  return lines.map((line, at) =>
    at === token.line ? line.slice(0, token.column) + changed + line.slice(token.column + token.text.length) : line,
  );
}

/** Copies or moves a statement to behind another one, at that one's indentation. */
export function moveStatement(program: Program, random: Random): Mutation | null {
  const statement = random.pick(movable(program));
  const target = random.pick(
    program.statements.filter(
      (other) =>
        other.keyword !== 'return' &&
        (statement === undefined || other.end <= statement.first || other.first >= statement.end),
    ),
  );
  if (statement === undefined || target === undefined || target.end === statement.first) return null;
  const copy = {
    first: target.end,
    end: target.end,
    lines: reindent(textOf(program, statement), statement.indent, target.indent),
  };
  if (random.chance(0.5) || isOnlyChild(program, statement))
    return { edits: [copy], words: `copied a statement behind line ${target.end}` };
  return {
    edits: [copy, { first: statement.first, end: statement.end, lines: [] }],
    words: `moved a statement behind line ${target.end}`,
  };
}

/** Exchanges two statements of one suite that follow each other. */
export function exchangeStatements(program: Program, random: Random): Mutation | null {
  const first = random.pick(movable(program));
  const second = program.statements.find(
    (other) => first !== undefined && other.parent === first.parent && other.first >= first.end,
  );
  if (first === undefined || second === undefined || FIXED.has(second.keyword)) return null;
  const lines = [
    ...textOf(program, second),
    ...program.lines.slice(first.end, second.first),
    ...textOf(program, first),
  ];
  return { edits: [{ first: first.first, end: second.end, lines }], words: 'exchanged two statements' };
}

export function deleteStatement(program: Program, random: Random): Mutation | null {
  const statement = random.pick(movable(program));
  if (statement === undefined) return null;
  const lines = isOnlyChild(program, statement) ? [`${statement.indent}pass`] : [];
  return { edits: [{ first: statement.first, end: statement.end, lines }], words: 'deleted a statement' };
}

function isOnlyChild(program: Program, statement: Statement): boolean {
  return !program.statements.some(
    (other) => other !== statement && other.parent === statement.parent && other.indent === statement.indent,
  );
}

/** Repeats one to three neighbouring statements: `for _ in range(k):` around them. */
export function repeatStatements(program: Program, random: Random): Mutation | null {
  const first = random.pick(movable(program));
  if (first === undefined) return null;
  const siblings = program.statements
    .filter((other) => other.parent === first.parent && other.first >= first.first)
    .slice(0, 1 + random.below(3));
  const last =
    siblings.findLast((other, at) => siblings.slice(0, at + 1).every((sibling) => !FIXED.has(sibling.keyword))) ??
    first;
  const body = program.lines.slice(first.first, last.end);
  const step = first.indent.includes('\t') ? '\t' : '    ';
  if (body.some((line) => /("""|''')/.test(line))) return null;
  const times = 2 + random.below(8);
  const lines = [
    `${first.indent}for _ in range(${times}):`,
    ...body.map((line) => (line.trim() === '' ? line : step + line)),
  ];
  return {
    edits: [{ first: first.first, end: last.end, lines }],
    words: `repeated ${body.length} line${body.length === 1 ? '' : 's'} ${times} times`,
  };
}
