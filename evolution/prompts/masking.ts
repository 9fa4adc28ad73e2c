// Blind-Elite: what hides the scores of the shown programs in the words of a prompt (DeltaEvolve, section 2, Ablations). Called by the prompts of `theta`
// and `openevolve`. Code stays as it is: an edit must match it.
import type { PromptSettings } from '../config/run-config.ts';
import { hideScores } from '../deltas/feedback.ts';
import type { ShownProgram } from './shown-program.ts';

export type Mask = {
  /** Of what an evaluator or a program printed. */
  readonly output: (text: string) => string;
  /** Of what a model wrote without sight of scores: a small whole number in it is a quantity of the method. */
  readonly prose: (text: string) => string;
};

/** A measured time is no score. */
const MEASURED = 'runtime_s';

export const maskOf = (programs: readonly Pick<ShownProgram, 'score' | 'metrics'>[], scores: PromptSettings['scores']): Mask => {
  if (scores === 'shown') return { output: (text) => text, prose: (text) => text };
  const known = new Set(programs.flatMap(({ score, metrics }) =>
    [score, ...Object.entries(metrics).map(([name, value]) => (name === MEASURED ? null : value))].filter((value) => typeof value === 'number')));
  const unmistakable = new Set([...known].filter((score) => !Number.isInteger(score) || Math.abs(score) >= 1000));
  return { output: (text) => hideScores(text, known), prose: (text) => hideScores(text, unmistakable) };
};
