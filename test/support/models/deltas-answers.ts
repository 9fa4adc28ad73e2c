// Answers with deltas, for tests: fields that survive being read back, and deltas written in the literal form or with
// variations.
import fc from 'fast-check';
import { type Delta, deltaOf, type DeltaSummary, type Modification } from '../../../evolution/deltas/delta.ts';

export const block = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE`;

/** One line of words that no rule of the parser takes for anything else. */
const word = fc
  .stringMatching(/^[a-zA-Z0-9(),;=<>%é漢]{1,8}$/)
  .filter((text) => !/^(?:from|to|modification|delta)$/i.test(text));
export const sentence: fc.Arbitrary<string> = fc
  .array(word, { minLength: 2, maxLength: 6 })
  .map((words) => `w ${words.join(' ')}`);
const orEmpty = fc.option(sentence, { nil: '' });

export const summaries: fc.Arbitrary<DeltaSummary> = fc.record({ from: orEmpty, to: sentence });
const modifications: fc.Arbitrary<Modification> = fc.record({
  component: sentence,
  oldLogic: orEmpty,
  newLogic: sentence,
  hypothesis: orEmpty,
});
export const plans: fc.Arbitrary<readonly Modification[]> = fc.array(modifications, { minLength: 1, maxLength: 4 });
export const deltas: fc.Arbitrary<Delta> = fc
  .tuple(fc.option(summaries), fc.option(plans, { nil: [] }))
  .map(([summary, plan]) => deltaOf(summary, plan));

const labelled = (pairs: readonly (readonly [string, string])[]): string =>
  pairs
    .filter(([, value]) => value !== '')
    .map(([label, value]) => `${label}: ${value}`)
    .join('\n');

export const writeSummary = ({ from, to }: DeltaSummary): string =>
  `#DELTA-SUMMARY-START\n${labelled([
    ['FROM', from],
    ['TO', to],
  ])}\n#DELTA-SUMMARY-END`;

export const writePlan = (plan: readonly Modification[]): string =>
  [
    '#DELTA-PLAN-DETAILS-START',
    ...plan.map(
      ({ component, oldLogic, newLogic, hypothesis }, index) =>
        `[Modification ${index + 1}]\n${labelled([
          ['COMPONENT', component],
          ['OLD_LOGIC', oldLogic],
          ['NEW_LOGIC', newLogic],
          ['HYPOTHESIS', hypothesis],
        ])}`,
    ),
    '#DELTA-PLAN-DETAILS-END',
  ].join('\n');

export const SUMMARY: DeltaSummary = {
  from: 'Uniform random search',
  to: 'Latin hypercube start and adaptive local search',
};
export const PLAN: readonly Modification[] = [
  {
    component: 'Starting points',
    oldLogic: '10 uniform points',
    newLogic: '40 points of a Latin hypercube',
    hypothesis: 'Coverage of the box',
  },
  {
    component: 'Step size',
    oldLogic: '0.1 of the span',
    newLogic: '0.2 of the span, halved after 5 failures',
    hypothesis: 'Faster descent early',
  },
];
