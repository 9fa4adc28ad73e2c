// One mutation: draws operators by weight until edits come out that can be written as blocks.
import { writeBlocks } from './blocks.ts';
import { clash, type Edit, edited, type Mutation } from './edit.ts';
import { changeArgument, growOperand, shrinkOperand, swapCallee, swapNames, swapOperator } from './expressions.ts';
import { perturbLiterals, swapLiterals } from './literals.ts';
import { type Program, readProgram } from './program.ts';
import { type Random, weightedIndex } from './random.ts';
import { recombine } from './recombine.ts';
import {
  deleteStatement,
  duplicateStatement,
  exchangeStatements,
  moveStatement,
  repeatStatements,
} from './statements.ts';

type Operator = {
  readonly name: string;
  readonly weight: number;
  /** Continues the sentence that begins with "it will". */
  readonly does: string;
  readonly apply: (program: Program, random: Random, partners: readonly Program[]) => Mutation | null;
};

/** Recombination counts only when other programs are shown. */
export const OPERATORS: readonly Operator[] = [
  { name: 'perturb literals', weight: 68, does: 'change a few numbers of the program', apply: perturbLiterals },
  { name: 'swap literals', weight: 1, does: 'exchange two numbers of the program', apply: swapLiterals },
  { name: 'grow operand', weight: 7, does: 'put a small disturbance on an operand', apply: growOperand },
  { name: 'shrink operand', weight: 1.5, does: 'drop an operand of an expression', apply: shrinkOperand },
  {
    name: 'swap operator',
    weight: 3,
    does: 'put another operator of its family in the place of one',
    apply: swapOperator,
  },
  { name: 'swap names', weight: 3, does: 'read another variable in the place of one', apply: swapNames },
  { name: 'swap callee', weight: 1, does: 'use another attribute of the same base', apply: swapCallee },
  { name: 'change argument', weight: 2, does: 'exchange or replace an argument of a call', apply: changeArgument },
  { name: 'duplicate statement', weight: 4, does: 'write a statement twice', apply: duplicateStatement },
  { name: 'move statement', weight: 2, does: 'move or copy a statement to another line', apply: moveStatement },
  { name: 'exchange statements', weight: 1, does: 'exchange two statements', apply: exchangeStatements },
  { name: 'delete statement', weight: 2, does: 'delete a statement', apply: deleteStatement },
  { name: 'repeat statements', weight: 2, does: 'repeat some lines in a loop', apply: repeatStatements },
  {
    name: 'recombine',
    weight: 30,
    does: 'take numbers or a statement from another program',
    apply: (program, random, partners) => recombine(program, partners, random),
  },
];

/** Weights of one, two or three operators on one child. */
const OPERATOR_COUNTS = [0.85, 0.12, 0.03];
const ATTEMPTS = 40;
/** So many of the first attempts keep to an operator that was asked for. */
const LOYAL_ATTEMPTS = 20;
const LONGEST_WORDS = 200;

/** The change of one operator, as a text of one line. */
export type Part = { readonly operator: string; readonly words: string };
/** `program` is the child's whole text. */
export type Answer = {
  readonly blocks: string;
  readonly program: string;
  readonly words: string;
  readonly parts: readonly Part[];
};

/** `operator` is used where it can be. */
export function mutate(
  program: Program,
  partners: readonly Program[],
  random: Random,
  operator: string | null = null,
): Answer | null {
  const demanded = OPERATORS.some(({ name }) => name === operator) ? operator : null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const mutation = combine(program, partners, random, attempt < LOYAL_ATTEMPTS ? demanded : null);
    const blocks = mutation && writeBlocks(program, mutation.edits);
    if (mutation === null || blocks === null) continue;
    const child = edited(program.lines, mutation.edits, 0, program.lines.length).join('\n');
    if (!keepsFixed(program, child)) continue;
    return {
      blocks,
      program: child,
      words: mutation.parts.map(({ words }) => words).join('; '),
      parts: mutation.parts,
    };
  }
  return null;
}

/** True if every import and docstring is still there, however the statements around it were moved or replaced. */
function keepsFixed({ fixed }: Program, child: string): boolean {
  const left = [...readProgram(child).fixed];
  return fixed.every((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

function combine(
  program: Program,
  partners: readonly Program[],
  random: Random,
  only: string | null,
): { readonly edits: readonly Edit[]; readonly parts: readonly Part[] } | null {
  const weights = OPERATORS.map(({ name, weight }) =>
    (name === 'recombine' && partners.length === 0) || (only !== null && name !== only) ? 0 : weight,
  );
  const count = 1 + weightedIndex(random, OPERATOR_COUNTS);
  const done: (Mutation & { readonly operator: string })[] = [];
  for (let draw = 0; draw < count; draw += 1) {
    const operator = OPERATORS[weightedIndex(random, weights)];
    const mutation = operator?.apply(program, random, partners);
    if (operator && mutation && !done.some((other) => clash(other.edits, mutation.edits)))
      done.push({ ...mutation, operator: operator.name });
  }
  return done.length === 0
    ? null
    : {
        edits: done.flatMap((m) => m.edits),
        parts: done.map(({ operator, words }) => ({ operator, words: oneLine(words) })),
      };
}

/** The text quotes code, and a string literal of that code may hold anything. */
function oneLine(words: string): string {
  const line = words
    .slice(0, LONGEST_WORDS)
    .toWellFormed()
    .replace(/\s+/g, ' ')
    .replace(/<(\/?)think>/g, '($1think)');
  return words.length > LONGEST_WORDS ? `${line} ...` : line;
}
