// One mutation: draws operators by weight until edits come out that can be written as blocks. Called by answer.ts.
import { weightedIndex } from '../random.ts';
import type { Random } from '../random.ts';
import { writeBlocks } from './blocks.ts';
import { clash } from './edit.ts';
import type { Mutation } from './edit.ts';
import { changeArgument, growOperand, shrinkOperand, swapCallee, swapNames, swapOperator } from './expressions.ts';
import { perturbLiterals, swapLiterals } from './literals.ts';
import type { Program } from './program.ts';
import { recombine } from './recombine.ts';
import { deleteStatement, duplicateStatement, exchangeStatements, moveStatement, repeatStatements } from './statements.ts';

type Operator = (program: Program, random: Random, partners: readonly Program[]) => Mutation | null;

/** Operator weights; recombination counts only when other programs are shown. */
const OPERATORS: readonly (readonly [number, Operator])[] = [
  [68, perturbLiterals], [1, swapLiterals],
  [7, growOperand], [1.5, shrinkOperand], [3, swapOperator], [3, swapNames], [1, swapCallee], [2, changeArgument],
  [4, duplicateStatement], [2, moveStatement], [1, exchangeStatements], [2, deleteStatement], [2, repeatStatements],
  [30, (program, random, partners) => recombine(program, partners, random)],
];

/** How often one, two or three operators work on one child. */
const OPERATOR_COUNTS = [0.85, 0.12, 0.03];
const ATTEMPTS = 40;

export type Answer = { readonly blocks: string; readonly words: string };

export function mutate(program: Program, partners: readonly Program[], random: Random): Answer | null {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const mutation = combine(program, partners, random);
    const blocks = mutation && writeBlocks(program, mutation.edits);
    if (mutation !== null && blocks !== null) return { blocks, words: mutation.words };
  }
  return null;
}

function combine(program: Program, partners: readonly Program[], random: Random): Mutation | null {
  const weights = OPERATORS.map(([weight], at) => (at === OPERATORS.length - 1 && partners.length === 0 ? 0 : weight));
  const wanted = 1 + weightedIndex(random, OPERATOR_COUNTS);
  const done: Mutation[] = [];
  for (let draw = 0; draw < wanted; draw += 1) {
    const mutation = OPERATORS[weightedIndex(random, weights)]?.[1](program, random, partners);
    if (mutation && !done.some((other) => clash(other.edits, mutation.edits))) done.push(mutation);
  }
  return done.length === 0 ? null : { edits: done.flatMap((m) => m.edits), words: done.map((m) => m.words).join('; ') };
}
