// What is said of a program's idea and of its result on hidden instances, in a line each. All functions are pure.
import type { JudgedIdea, OnHidden } from '../../activities/results/program-texts.ts';
import { HIGHEST_SCORE, UNPARSED } from '../../evolution/ideas/idea.ts';
import { score } from './output.ts';

/** A result on hidden instances in a line: what it is worth is seen beside the initial program's. */
export const hiddenText = ({ result: { outcome, score: value, reasons }, direction, initial }: OnHidden): string =>
  [
    `on hidden instances, which never decide a ranking: ${outcome}`,
    ...(value === null ? (reasons[0] === undefined ? [] : [reasons[0]]) : [`score ${score(value)}`]),
    ...(direction === null ? [] : [`the ${direction === 'maximise' ? 'larger' : 'smaller'} the better`]),
    ...(initial === null ? [] : [`the initial program has ${score(initial)} there`]),
  ].join(', ');

/** What was said of an idea, in a line. */
export const judgementText = ({ score: judged, would }: JudgedIdea): string =>
  judged === null
    ? 'not judged'
    : judged === UNPARSED
      ? 'the judge gave no score that can be read'
      : `judged ${judged} of ${HIGHEST_SCORE}${would === null ? '' : `, ${would === 'pass' ? 'not below' : 'below'} the threshold of the gate`}`;
