// A mechanical log of a mutation in the literal form that prompts with deltas ask for. Called by answer.ts.
import type { Part } from './mutate/mutate.ts';
import type { DeltasWanted } from './role.ts';

/** One entry of the plan for each part; at least one part. */
export function deltaSections(parts: readonly Part[], { summary, plan }: DeltasWanted): string {
  return [...(summary ? [summarySection(parts)] : []), ...(plan ? [planSection(parts)] : [])].join('\n\n');
}

function summarySection(parts: readonly Part[]): string {
  return [
    '#DELTA-SUMMARY-START',
    'FROM: The program as it was given.',
    `TO: The same program after a random mutation without a language model, which ${parts.map(({ words }) => plain(words)).join('; ')}.`,
    '#DELTA-SUMMARY-END',
  ].join('\n');
}

function planSection(parts: readonly Part[]): string {
  return [
    '#DELTA-PLAN-DETAILS-START',
    ...parts.flatMap(({ operator, words }, index) => [
      `[Modification ${index + 1}]`,
      `COMPONENT: Mutation operator: ${operator}`,
      'OLD_LOGIC: The statements as they were given.',
      `NEW_LOGIC: A random mutation ${plain(words)}.`,
      'HYPOTHESIS: None, the change is random and the score decides.',
    ]),
    '#DELTA-PLAN-DETAILS-END',
  ].join('\n');
}

/** Words that quote code hold no label, no entry and no delimiter of the form. */
const plain = (words: string): string =>
  words.replaceAll('#', '').replace(/\b(FROM|TO|COMPONENT|OLD_LOGIC|NEW_LOGIC|HYPOTHESIS)(\*{0,2}):/gi, '$1').replaceAll('[Modification', '(Modification');
