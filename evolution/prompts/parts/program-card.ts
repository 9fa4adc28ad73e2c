// A program in prompts: one line of results, or the card of method `code` (docs/methods/codeevolve.md), without what is
// to be hidden (Blind-Elite, DeltaEvolve 3.3). The code is never cut.
import type { PromptSettings } from '../../config/run-config.ts';
import { hideScores } from '../../deltas/feedback.ts';
import type { Evaluation } from '../../scoring/evaluation.ts';
import type { Task } from '../../task/task.ts';
import type { Outcome } from '../../types.ts';
import { fenced, fencedProgram } from './sections.ts';

export type ShownProgram = {
  readonly code: string;
  readonly outcome: Outcome;
  /** The raw objective; null unless the program is valid. */
  readonly score: number | null;
  readonly metrics: { readonly [name: string]: number | string | boolean };
  /** The end of what it printed, as printedOf gives it. */
  readonly printed?: string | undefined;
  /** What its evaluator showed beside the numbers, as artifactsText gives it; for the program that is to be changed. */
  readonly artifacts?: string | undefined;
};

/** The outcome of an answer, in words for a model. */
export const OUTCOME_WORDS: { readonly [outcome in Outcome]: string } = {
  valid: 'valid',
  invalid: 'its result is not valid',
  no_solution: 'it gave no result',
  no_diff: 'the answer held no change that could be read',
  no_change: 'the answer left the program as it was',
  duplicate: 'the answer made a program that had been made before',
  rejected: 'its proposal was judged too weak, so no program was made',
  unparsed: 'its proposal could not be judged, so no program was made',
  rm_failed: 'its proposal could not be judged, so no program was made',
  idea_failed: 'no proposal was given, so no program was made',
};

/** An invalid result whose score is held back. */
export const HELD_WORDS = 'its score is held back and does not count, because it is too good to be believed';

const DIGITS = 10;

/** The openness of a prompt about scores and feedback; left out: both in full. */
export type Telling = {
  readonly scores?: PromptSettings['scores'] | undefined;
  readonly feedback?: PromptSettings['feedback'] | undefined;
  /** `common`: with all metrics, and without internal names; the paper's form when left out. */
  readonly frame?: PromptSettings['frame'] | undefined;
};

/** Ten significant digits, because near a record programs differ in the seventh. */
export const showNumber = (value: number): string => String(Number(value.toPrecision(DIGITS)));

/** One line with objective, validity and time. `masked`: no score. `label-only`: validity. `none`: empty. */
export const metricsLine = (
  task: Task,
  { outcome, score, metrics }: ShownProgram,
  { scores = 'shown', feedback = 'full', frame = 'paper' }: Telling = {},
): string => {
  if (feedback === 'none') return '';
  const failure = frame === 'common' ? OUTCOME_WORDS[outcome] : outcome;
  const valid = `valid = ${outcome === 'valid' ? 'yes' : `no (${failure})`}`;
  if (feedback === 'label-only') return `Metrics: ${valid}`;
  const runtime = metrics['runtime_s'];
  return [
    `Metrics: ${task.scoreName} = ${score === null ? 'none' : scores === 'masked' ? '[hidden]' : showNumber(score)}`,
    valid,
    ...(typeof runtime === 'number' ? [`running time: ${quarter(runtime / task.limits.cpuSeconds)}`] : []),
    ...(frame === 'common' && scores === 'shown' ? otherMetrics(task, metrics) : []),
  ].join(', ');
};

/** All metrics but the score, and the measured time, which is told in quarters of the limit. */
const otherMetrics = ({ scoreName }: Task, metrics: ShownProgram['metrics']): readonly string[] =>
  Object.entries(metrics)
    .filter(([name]) => name !== MEASURED && name !== scoreName)
    .map(([name, value]) => `${name} = ${typeof value === 'number' ? showNumber(value) : value}`);

/** Time is told in quarters of the limit, because a measured time differs from run to run and a prompt must not. */
const quarter = (share: number): string => {
  if (share >= 0.75) return 'more than 75 % of the limit';
  return `less than ${share < 0.25 ? 25 : share < 0.5 ? 50 : 75} % of the limit`;
};

/** Hides scores in the words of a prompt (DeltaEvolve 3.3: Blind-Elite). Code stays, because edits must match it. */
export type Mask = {
  /** For what an evaluator or a program printed. */
  readonly output: (text: string) => string;
  /** For what a model wrote without sight of scores: a small whole number in it is a quantity of the method. */
  readonly prose: (text: string) => string;
};

/** The metric that says under which limit a score was measured, where that is not today's. */
export const MEASURED_WITH = 'measured_with';

/** A measured time, which is no score. */
const MEASURED = 'runtime_s';

export const maskOf = (
  programs: readonly Pick<ShownProgram, 'score' | 'metrics'>[],
  scores: PromptSettings['scores'],
): Mask => {
  if (scores === 'shown') return { output: (text) => text, prose: (text) => text };
  const known = new Set(
    programs.flatMap(({ score, metrics }) =>
      [score, ...Object.entries(metrics).map(([name, value]) => (name === MEASURED ? null : value))].filter(
        (value) => typeof value === 'number',
      ),
    ),
  );
  const unmistakable = new Set([...known].filter((score) => !Number.isInteger(score) || Math.abs(score) >= 1000));
  return { output: (text) => hideScores(text, known), prose: (text) => hideScores(text, unmistakable) };
};

/** The trouble with a block of an answer of which a program came all the same. */
type EditNote = { readonly block: number; readonly reason: string };

/** One line for each block; empty where nothing went wrong. */
export const editNotes = (edits: readonly EditNote[]): string =>
  edits.map(({ block, reason }) => `block ${block} of the answer that made it: ${reason}`).join('\n');

export type CardProgram = ShownProgram & {
  /** Null where the program was not run, or was killed. */
  readonly exitCode: number | null;
  /** The failure in full; empty without one. */
  readonly error: string;
  /** Those blocks of the answer that made it which went wrong. */
  readonly edits?: readonly EditNote[] | undefined;
};

/** The number of characters of error output that are shown, counted from its end. */
export const ERROR_TAIL = 2_000;

/** The failure in an evaluation's words. */
export const errorOf = ({ reasons, stderrTail }: Pick<Evaluation, 'reasons' | 'stderrTail'>): string =>
  [...reasons, stderrTail]
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join('\n');

/**
 * A card has no heading, and nothing before the code looks like one. `code` replaces the code; hidden scores and
 * feedback are left out.
 */
export const programCard = (
  task: Task,
  { exitCode, error: output, edits = [], ...program }: CardProgram,
  telling: Telling = {},
  code = fencedProgram(program.code),
): string => {
  const { scores = 'shown', feedback = 'full' } = telling;
  if (feedback !== 'full')
    return [metricsLine(task, program, telling), code].filter((part) => part !== '').join('\n\n');
  const error = maskOf([program], scores).output(output);
  // In the common frame the line above has shown them.
  const others = scores === 'masked' || telling.frame === 'common' ? [] : otherMetrics(task, program.metrics);
  return [
    [metricsLine(task, program, telling), ...others, ...exitCodeOf(exitCode, telling)].join(', '),
    code,
    ...wentWrong(error, edits),
    ...outputSections(program, telling),
  ].join('\n\n');
};

/** That a program ended well says nothing beside its score. */
const exitCodeOf = (exitCode: number | null, { frame }: Telling): readonly string[] =>
  exitCode === null || (frame === 'common' && exitCode === 0) ? [] : [`exit code = ${exitCode}`];

/**
 * As data, what its evaluator showed, and in the common frame what a program that did not fail printed; empty where there
 * is nothing.
 */
export const outputSections = (program: ShownProgram, telling: Telling): readonly string[] => {
  const { scores = 'shown', feedback = 'full', frame } = telling;
  const { printed = '', artifacts = '', outcome } = program;
  if (feedback !== 'full') return [];
  const section = (title: string, text: string): readonly string[] =>
    text === '' ? [] : [`${title}\n\n${fenced(maskOf([program], scores).output(text), 'text')}`];
  return [
    ...section(SHOWED, artifacts),
    ...section('What it printed at the end', frame === 'common' && outcome === 'valid' ? printed : ''),
  ];
};

/** The words before the artifacts of an evaluation. */
export const SHOWED = 'What its evaluation showed';

/** Error output, and edits that went wrong; empty where nothing did. */
export const wentWrong = (error: string, edits: readonly EditNote[]): readonly string[] => [
  ...(error.trim() === '' ? [] : [errorSection(error.trim())]),
  ...(edits.length === 0 ? [] : [`Edits that went wrong when it was made\n\n${fenced(editNotes(edits), 'text')}`]),
];

const errorSection = (error: string): string => {
  const tail = error.slice(-ERROR_TAIL).toWellFormed();
  const what =
    tail.length < error.length
      ? `The last ${tail.length} of ${error.length} characters of its error output`
      : 'Its error output';
  return `${what}\n\n${fenced(tail, 'text')}`;
};
