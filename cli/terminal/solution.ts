// The idea of a program, what its evaluation gave and its result on hidden instances, as lines. All functions are pure.
import type { JudgedIdea, OnHidden } from '../../activities/results/program-texts.ts';
import { HIGHEST_SCORE, UNPARSED } from '../../evolution/ideas/idea.ts';
import { amount, duration } from '../../evolution/reports/number-text.ts';
import { type Artifact, isBinary, isPicture } from '../../evolution/scoring/artifacts.ts';
import type { Evaluation } from '../../evolution/scoring/evaluation.ts';
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

export const stagesText = ({ stages }: Pick<Evaluation, 'stages'>): string | null =>
  stages
    ?.map(
      ({ name, outcome, score: value, cpuMs, passed }) =>
        `${name} ${value === null ? outcome : score(value)}${cpuMs === null ? '' : ` in ${duration(cpuMs / 1000)}`}${passed ? '' : ' (ended there)'}`,
    )
    .join(', ') ?? null;

const ARTIFACT_LINES = 8;
const ARTIFACT_WIDTH = 200;
const INDENT = ' '.repeat(10);

/** The beginning of a text or a table. `all` prints it whole. */
export const artifactLines = (one: Artifact, all: string): readonly string[] => {
  const lines = isPicture(one) ? [] : one.text.trimEnd().split('\n');
  const size = isPicture(one)
    ? `${one.kind}, ${amount(bytesOf(one).length)} bytes`
    : `${one.kind}, ${amount(lines.length)} lines`;
  return [
    `showed    ${one.name} (${size})`,
    ...lines.slice(0, ARTIFACT_LINES).map((text) => INDENT + text.slice(0, ARTIFACT_WIDTH)),
    ...(lines.length > ARTIFACT_LINES ? [`${INDENT}... ${all} prints all`] : []),
  ];
};

export const bytesOf = (one: Artifact): string | Buffer => (isBinary(one) ? Buffer.from(one.text, 'base64') : one.text);
