// A mechanical idea: which mutation operator is to work on the program. Called by answer.ts; role.ts finds the operator in the request for the
// program, and the mutation is made by it.
import { OPERATORS, mutate } from './mutate/mutate.ts';
import type { Program } from './mutate/program.ts';
import { weightedIndex } from './random.ts';
import type { Random } from './random.ts';

/** Drawn as a mutation of the program is drawn; of a program in which nothing may be changed an operator by its weight. */
export function ideaText(program: Program | null, random: Random): string {
  const tried = program && mutate(program, [], random);
  const alone = OPERATORS.filter(({ name }) => name !== 'recombine');
  const name = tried?.parts[0]?.operator ?? alone[weightedIndex(random, alone.map(({ weight }) => weight))]?.name ?? 'perturb literals';
  return [
    'Mechanical idea, no language model: a mutation operator that was drawn at random.',
    `Operator: ${name}.`,
    `It will ${OPERATORS.find((operator) => operator.name === name)?.does ?? 'change the program'}, at a place drawn at random.`,
    ...(tried ? [`Tried on the current program it ${tried.parts[0]?.words}.`] : []),
  ].join('\n');
}
