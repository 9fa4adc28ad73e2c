// The reward of a rollout, as an update of the model would see it (ThetaEvolve, section 2, Reward). Called at commit; ranking never reads it.
import type { RewardSettings } from './config/run-config.ts';
import { FAILURE_SCORE } from './failure-score.ts';
import type { Direction, Outcome } from './types.ts';

/** Smallest gain over the parent that `improve` counts. */
const IMPROVEMENT = 1e-6;

export type Rewarded = {
  readonly outcome: Outcome;
  /** Raw objective; null unless valid. */
  readonly score: number | null;
  readonly parentScore: number | null;
  readonly direction: Direction;
  readonly settings: RewardSettings;
};

/** The outcome decides what failed, never the sign of the score: some tasks have negative objectives. */
export const reward = ({ outcome, score, parentScore, direction, settings }: Rewarded): number => {
  if (outcome !== 'valid') return settings.kind === 'format' && (outcome === 'no_solution' || outcome === 'invalid') ? 1 : FAILURE_SCORE[outcome];
  if (settings.kind === 'format' || settings.kind === 'valid') return 1;
  if (score === null || !Number.isFinite(score)) throw new RangeError(`reward: expected a finite score for a valid program, got ${score}`);
  switch (settings.kind) {
    case 'objective': return direction === 'maximise' ? score : 1 / (score + 1e-8);
    case 'improve': return improves(score, parentScore, direction) ? 1 : 0;
    case 'shaped': return shaped(score, direction, settings);
  }
};

const improves = (score: number, parentScore: number | null, direction: Direction): boolean =>
  parentScore === null || (direction === 'maximise' ? score - parentScore : parentScore - score) > IMPROVEMENT;

/** k * clip(H, 0, 1)^alpha, H = (s-L)/(U-L) maximising, (U-s)/(U-L) minimising. */
const shaped = (score: number, direction: Direction, { lower, upper, alpha, k }: RewardSettings): number => {
  if (lower === null || upper === null || !(lower < upper)) {
    throw new RangeError(`reward: \`shaped\` expects reward.lower below reward.upper, got ${lower} and ${upper}`);
  }
  const h = (direction === 'maximise' ? score - lower : upper - score) / (upper - lower);
  return k * Math.min(1, Math.max(0, h)) ** alpha;
};
