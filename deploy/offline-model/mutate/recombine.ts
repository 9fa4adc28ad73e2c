// Recombination with the other programs of the prompt: takes over their literals where the code has the same shape,
// or whole statements.
import { editTokens, type Mutation, reindent } from './edit.ts';
import { isNumeric } from './literals.ts';
import type { LogicalLine, Program } from './program.ts';
import type { Random } from './random.ts';

export function recombine(program: Program, partners: readonly Program[], random: Random): Mutation | null {
  const partner = random.pick(partners);
  if (partner === undefined) return null;
  return random.chance(0.6) ? takeLiterals(program, partner, random) : takeStatement(program, partner, random);
}

/**
 * Uniform crossover of literals: each line that has a twin of the same shape gives up its numbers with probability
 * one half.
 */
function takeLiterals(program: Program, partner: Program, random: Random): Mutation | null {
  const changes = program.logical.flatMap((line) => {
    const twin = random.pick(partner.logical.filter((other) => shape(other) === shape(line)));
    if (twin === undefined) return [];
    return line.tokens.flatMap((token, at) => {
      const text = twin.tokens[at]?.text ?? token.text;
      return isNumeric(token) && text !== token.text && random.chance(0.5) ? [{ token, text }] : [];
    });
  });
  return changes.length === 0
    ? null
    : {
        edits: editTokens(program, changes),
        words: `took ${changes.length} literal${changes.length === 1 ? '' : 's'} from another program`,
      };
}

/** The line without its numbers. */
function shape(line: LogicalLine): string {
  return line.tokens.map((token) => (isNumeric(token) ? '0' : token.text)).join(' ');
}

/** A statement of the partner that this program lacks, in the place of one of the same kind or behind it. */
function takeStatement(program: Program, partner: Program, random: Random): Mutation | null {
  const ownLines = new Set(program.lines.map((line) => line.trim()));
  const statement = random.pick(
    partner.statements.filter((s) => s.keyword !== '@' && !ownLines.has((partner.lines[s.first] ?? '').trim())),
  );
  if (statement === undefined) return null;
  const target =
    random.pick(
      program.statements.filter((s) => s.keyword === statement.keyword && s.compound === statement.compound),
    ) ?? random.pick(program.statements.filter((s) => s.keyword !== 'return'));
  if (target === undefined) return null;
  const lines = reindent(partner.lines.slice(statement.first, statement.end), statement.indent, target.indent);
  const first = target.keyword === statement.keyword && random.chance(0.7) ? target.first : target.end;
  return { edits: [{ first, end: target.end, lines }], words: 'took a statement from another program' };
}
