// Results as `name=value`, joined by commas, in prompts of `research` (docs/methods/alpharesearch.md).
import type { Task } from '../../task/task.ts';
import type { ShownProgram, Telling } from './program-card.ts';

export type Metrics = { readonly [name: string]: number | string | boolean };

/** The significant digits where nothing else is set. */
const METRIC_DIGITS = 8;

/** The metrics in the order of their keys; `none` where there are none. */
export const metricsText = (metrics: Metrics, digits = METRIC_DIGITS): string => {
  const texts = Object.entries(metrics).map(
    ([name, value]) => `${name}=${typeof value === 'number' ? showNumber(value, digits) : value}`,
  );
  return texts.length === 0 ? 'none' : texts.join(', ');
};

/** Those metrics that a prompt shows. Where scores are masked, none stands in it that says as much as a score. */
export const metricsIn = (
  { frames = {} }: Pick<Task, 'frames'>,
  { frame = 'paper', scores = 'shown' }: Telling,
  metrics: Metrics,
): Metrics => {
  const own = scores === 'masked' ? 'paper' : frame;
  return Object.fromEntries(Object.entries(metrics).filter(([name]) => (frames[name] ?? own) === own));
};

/** Objective, validity, then other metrics. The measured time differs from run to run, so it is left out. */
export const metricsOf = ({ outcome, score, metrics }: ShownProgram, scoreName: string): Metrics => {
  const others = Object.entries(metrics).filter(([name]) => name !== 'runtime_s' && name !== scoreName);
  return { [scoreName]: score ?? 'none', valid: outcome === 'valid', ...Object.fromEntries(others) };
};

const showNumber = (value: number, digits: number): string =>
  Number.isFinite(value) ? String(Number(value.toPrecision(digits))) : String(value);
