// The one line that tells a model how a program did: objective, validity, running time. Called by the prompts of every method.
import type { PromptSettings } from '../config/run-config.ts';
import type { Task } from '../task.ts';
import type { ShownProgram } from './shown-program.ts';

const DIGITS = 10;

/** Left out: shown, in full. */
export type Telling = { readonly scores?: PromptSettings['scores'] | undefined; readonly feedback?: PromptSettings['feedback'] | undefined };

/** Ten significant digits: near a record, programs differ in the seventh. */
export const showNumber = (value: number): string => String(Number(value.toPrecision(DIGITS)));

/** `masked`: without the score. `label-only`: validity alone. `none`: an empty text. */
export const metricsLine = (task: Task, { outcome, score, metrics }: ShownProgram, { scores = 'shown', feedback = 'full' }: Telling = {}): string => {
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

/** In quarters of the limit: a measured time differs from run to run, and a prompt must not. */
const quarter = (share: number): string => {
  if (share >= 0.75) return 'more than 75 % of the limit';
  return `less than ${share < 0.25 ? 25 : share < 0.5 ? 50 : 75} % of the limit`;
};
