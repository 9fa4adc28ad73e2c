// Prompts show a program in two forms: one line on how it did, and the card of method `code` with metrics, exit code,
// code and the end of its error output (docs/methods/codeevolve.md, The conversation). What is to be hidden is hidden
// here too (Blind-Elite, DeltaEvolve 3.3). The code is never cut.
import type { PromptSettings } from '../config/run-config.ts';
import { hideScores } from '../deltas/feedback.ts';
import type { Evaluation } from '../scoring/evaluation.ts';
import type { Task } from '../task.ts';
import type { Outcome } from '../types.ts';
import { fenced, fencedProgram } from './sections.ts';

export type ShownProgram = {
  readonly code: string;
  readonly outcome: Outcome;
  /** The raw objective; null unless the program is valid. */
  readonly score: number | null;
  readonly metrics: { readonly [name: string]: number | string | boolean };
};

const DIGITS = 10;

/** What a prompt may tell of scores and feedback. When left out, both are shown in full. */
export type Telling = {
  readonly scores?: PromptSettings['scores'] | undefined;
  readonly feedback?: PromptSettings['feedback'] | undefined;
};

/** Ten significant digits, because near a record programs differ in the seventh. */
export const showNumber = (value: number): string => String(Number(value.toPrecision(DIGITS)));

/**
 * The one line that tells a model how a program did: objective, validity, running time. `masked`: without the score.
 * `label-only`: validity alone. `none`: an empty text.
 */
export const metricsLine = (
  task: Task,
  { outcome, score, metrics }: ShownProgram,
  { scores = 'shown', feedback = 'full' }: Telling = {},
): string => {
  if (feedback === 'none') return '';
  const valid = `valid = ${outcome === 'valid' ? 'yes' : `no (${outcome})`}`;
  if (feedback === 'label-only') return `Metrics: ${valid}`;
  const runtime = metrics['runtime_s'];
  return [
    `Metrics: ${task.scoreName} = ${score === null ? 'none' : scores === 'masked' ? '[hidden]' : showNumber(score)}`,
    valid,
    ...(typeof runtime === 'number' ? [`running time: ${quarter(runtime / task.limits.cpuSeconds)}`] : []),
  ].join(', ');
};

/** Time is told in quarters of the limit, because a measured time differs from run to run and a prompt must not. */
const quarter = (share: number): string => {
  if (share >= 0.75) return 'more than 75 % of the limit';
  return `less than ${share < 0.25 ? 25 : share < 0.5 ? 50 : 75} % of the limit`;
};

/**
 * Hides the scores of the shown programs in the words of a prompt (DeltaEvolve 3.3: Blind-Elite). Code stays as it is,
 * because an edit must match it.
 */
export type Mask = {
  /** For what an evaluator or a program printed. */
  readonly output: (text: string) => string;
  /** For what a model wrote without sight of scores: a small whole number in it is a quantity of the method. */
  readonly prose: (text: string) => string;
};

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

/** What went wrong with a block of an answer though a program came of it, for the next prompts to say. */
type EditNote = { readonly block: number; readonly reason: string };

/** One line for each block; empty where nothing went wrong. */
export const editNotes = (edits: readonly EditNote[]): string =>
  edits.map(({ block, reason }) => `block ${block} of the answer that made it: ${reason}`).join('\n');

export type CardProgram = ShownProgram & {
  /** Null where the program was not run, or was killed. */
  readonly exitCode: number | null;
  /** What went wrong, in full; empty where nothing did. */
  readonly error: string;
  /** Those blocks of the answer that made it which went wrong. */
  readonly edits?: readonly EditNote[] | undefined;
};

/** The number of characters of error output that are shown, counted from its end. */
export const ERROR_TAIL = 2_000;

/** What an evaluation says about what went wrong. */
export const errorOf = ({ reasons, stderrTail }: Pick<Evaluation, 'reasons' | 'stderrTail'>): string =>
  [...reasons, stderrTail]
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join('\n');

/**
 * The card has no heading, since each prompt gives it its own, and nothing between that heading and the code looks like
 * one. What `scores` and `feedback` keep back is not said; the code stays as it is.
 */
export const programCard = (
  task: Task,
  { exitCode, error: output, edits = [], ...program }: CardProgram,
  telling: Telling = {},
): string => {
  const { scores = 'shown', feedback = 'full' } = telling;
  if (feedback !== 'full')
    return [metricsLine(task, program, telling), fencedProgram(program.code)]
      .filter((part) => part !== '')
      .join('\n\n');
  const error = maskOf([program], scores).output(output);
  // The line above has shown these two, the measured time in quarters of the limit.
  const others =
    scores === 'masked'
      ? []
      : Object.entries(program.metrics)
          .filter(([name]) => name !== 'runtime_s' && name !== task.scoreName)
          .map(([name, value]) => `${name} = ${typeof value === 'number' ? showNumber(value) : value}`);
  return [
    [metricsLine(task, program, telling), ...others, ...(exitCode === null ? [] : [`exit code = ${exitCode}`])].join(
      ', ',
    ),
    fencedProgram(program.code),
    ...(error.trim() === '' ? [] : [errorSection(error.trim())]),
    ...(edits.length === 0 ? [] : [`Edits that went wrong when it was made\n\n${fenced(editNotes(edits), 'text')}`]),
  ].join('\n\n');
};

const errorSection = (error: string): string => {
  const tail = error.slice(-ERROR_TAIL).toWellFormed();
  const what =
    tail.length < error.length
      ? `The last ${tail.length} of ${error.length} characters of its error output`
      : 'Its error output';
  return `${what}\n\n${fenced(tail, 'text')}`;
};
