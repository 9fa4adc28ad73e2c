// The idea of a program, its metrics and its result on hidden instances, as lines. All functions are pure.
import type { JudgedIdea, OnHidden } from '../../activities/results/program-texts.ts';
import { HIGHEST_SCORE, UNPARSED } from '../../evolution/ideas/idea.ts';
import { score } from './output.ts';

/** A result on hidden instances in a line, beside that of the initial program. */
export const hiddenText = ({ result: { outcome, score: value, reasons }, direction, initial }: OnHidden): string =>
  [
    `on hidden instances, which never decide a ranking: ${outcome}`,
    ...(value === null ? (reasons[0] === undefined ? [] : [reasons[0]]) : [`score ${score(value)}`]),
    ...(direction === null ? [] : [`the ${direction === 'maximise' ? 'larger' : 'smaller'} the better`]),
    ...(initial === null ? [] : [`the initial program has ${score(initial)} there`]),
  ].join(', ');

/** The numbers and words that an evaluator reported beside the score. */
export const metricLines = (metrics: Readonly<Record<string, number | string | boolean>>): readonly string[] =>
  Object.entries(metrics).map(([name, value]) => `  ${name} ${typeof value === 'number' ? score(value) : value}`);

/** The judgement of an idea, in a line. */
export const judgementText = ({ score: judged, would }: JudgedIdea): string =>
  judged === null
    ? 'not judged'
    : judged === UNPARSED
      ? 'the judge gave no score that can be read'
      : `judged ${judged} of ${HIGHEST_SCORE}${would === null ? '' : `, ${would === 'pass' ? 'not below' : 'below'} the threshold of the gate`}`;
