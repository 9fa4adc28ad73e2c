// How well a reward model tells good ideas from others on rm-eval.jsonl (AlphaResearch, section 2, Evaluation; section 3, RM accuracy).
// Called by `evolve check-judge`.
import { GATE_DEFAULTS } from './gate.ts';
import { UNPARSED } from './verdict.ts';

/** `score`: of parseVerdict. `rating`: avg_rating. */
export type Prediction = { readonly score: number; readonly rating: number };

export type Accuracy = {
  readonly count: number;
  readonly unparsed: number;
  /** Share of all; what is not parsed is wrong. Null without predictions. */
  readonly accuracy: number | null;
  /** Of what is parsed alone; null where nothing is. */
  readonly accuracyParsed: number | null;
  readonly mae: number | null;
  readonly mse: number | null;
};

/** Right: score and rating are on the same side of the threshold, equality is below. */
export const accuracyOf = (predictions: readonly Prediction[], threshold = GATE_DEFAULTS.threshold): Accuracy => {
  const parsed = predictions.filter(({ score }) => score !== UNPARSED);
  const right = parsed.filter(({ score, rating }) => (score > threshold) === (rating > threshold)).length;
  const mean = (errors: readonly number[]): number | null => (errors.length === 0 ? null : errors.reduce((sum, error) => sum + error, 0) / errors.length);
  return {
    count: predictions.length, unparsed: predictions.length - parsed.length,
    accuracy: predictions.length === 0 ? null : right / predictions.length,
    accuracyParsed: parsed.length === 0 ? null : right / parsed.length,
    mae: mean(parsed.map(({ score, rating }) => Math.abs(score - rating))),
    mse: mean(parsed.map(({ score, rating }) => (score - rating) ** 2)),
  };
};
