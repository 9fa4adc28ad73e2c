// The reward of a rollout (ThetaEvolve 3.4, Eq. 2 to 4), and a proposal for the shaped one (ThetaEvolve 4.4.3).
import type { RewardSettings } from '../config/run-config.ts';
import type { Direction, Outcome } from '../types.ts';
import { FAILURE_CODE } from './failures.ts';
import { asFit, gainOver } from './ranking.ts';

/** The smallest gain over the parent that counts with `improve`. */
const IMPROVEMENT = 1e-6;

export type Rewarded = {
  readonly outcome: Outcome;
  /** The raw objective; null unless the program is valid. */
  readonly score: number | null;
  readonly parentScore: number | null;
  readonly direction: Direction;
  readonly settings: RewardSettings;
};

/** The outcome decides what failed, and never the sign of the score, because some tasks have negative objectives. */
export const reward = ({ outcome, score, parentScore, direction, settings }: Rewarded): number => {
  if (outcome !== 'valid')
    return settings.kind === 'format' && (outcome === 'no_solution' || outcome === 'invalid')
      ? 1
      : FAILURE_CODE[outcome];
  if (settings.kind === 'format' || settings.kind === 'valid') return 1;
  if (score === null || !Number.isFinite(score))
    throw new RangeError(`reward: expected a finite score for a valid program, got ${score}`);
  switch (settings.kind) {
    case 'objective':
      return direction === 'maximise' ? score : 1 / (score + 1e-8);
    case 'improve':
      return improves(score, parentScore, direction) ? 1 : 0;
    case 'shaped':
      return shaped(score, direction, settings);
  }
};

const improves = (score: number, parentScore: number | null, direction: Direction): boolean =>
  parentScore === null || gainOver(direction, score, parentScore) > IMPROVEMENT;

/** k * clip(H, 0, 1)^alpha, with H = (s-L)/(U-L) when maximising and (U-s)/(U-L) when minimising. */
const shaped = (score: number, direction: Direction, { lower, upper, alpha, k }: RewardSettings): number => {
  if (lower === null || upper === null || !(lower < upper)) {
    throw new RangeError(`reward: \`shaped\` expects reward.lower below reward.upper, got ${lower} and ${upper}`);
  }
  const h = (direction === 'maximise' ? score - lower : upper - score) / (upper - lower);
  return k * Math.min(1, Math.max(0, h)) ** alpha;
};

/**
 * The shaped reward's bounds and exponent, by the scores of a run without learning. As in ThetaEvolve 4.4.3, alpha = 1
 * and a narrow interval are the safe choice.
 */
type RewardProposal = {
  readonly lower: number;
  readonly upper: number;
  readonly alpha: 1;
  readonly k: 3;
  /** The number of valid programs from which it is derived. */
  readonly scores: number;
  /** The shares of them whose reward is 0, and 3. */
  readonly atZero: number;
  readonly atFull: number;
  readonly why: string;
};

/** The worse quarter of the valid scores lies below the interval, to tell good programs from better ones. */
const LEFT_BELOW = 0.25;
/** Room beyond the best score seen, as a share of the way to it, because an improvement must still pay. */
const ROOM = 0.1;
const DIGITS = 2;
const MOST_DIGITS = 100;

/** Null where fewer than two different scores were seen. */
export const proposeReward = (scores: readonly number[], direction: Direction): RewardProposal | null => {
  // The scores as merits, of which more is better, with the worst first.
  const merits = scores
    .map((score) => asFit(score, direction))
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  const best = merits.at(-1);
  if (best === undefined || merits[0] === best) return null;
  const quarter = merits[Math.floor(merits.length * LEFT_BELOW)]!;
  const worse = quarter < best ? quarter : merits.findLast((merit) => merit < best)!;
  const span = best - worse;
  const [from, to] = roundedOutwards(worse, best + ROOM * span, span);
  const [lower, upper] = direction === 'maximise' ? [from, to] : [0 - to, 0 - from];
  const share = (of: (merit: number) => boolean): number => merits.filter(of).length / merits.length;
  return {
    lower,
    upper,
    alpha: 1,
    k: 3,
    scores: merits.length,
    atZero: share((merit) => merit <= from),
    atFull: share((merit) => merit >= to),
    why: `the interval begins at the worst of the better three quarters of ${merits.length} valid scores and ends a tenth beyond the best one, both rounded outwards; alpha 1 is the safe choice for a narrow interval (ThetaEvolve)`,
  };
};

/** Rounded to two digits of the interval, or left as they are where floating point has no such numbers. */
const roundedOutwards = (from: number, to: number, span: number): readonly [number, number] => {
  const exponent = Math.floor(Math.log10(span)) - DIGITS + 1;
  // `toFixed` knows so many digits at most: smaller intervals stay as they are.
  if (-exponent > MOST_DIGITS) return [from, to];
  const unit = 10 ** exponent;
  const tidy = (value: number): number => Number(value.toFixed(Math.max(0, -exponent))) + 0;
  const [low, high] = [tidy(Math.floor(from / unit) * unit), tidy(Math.ceil(to / unit) * unit)];
  return low <= from && from - low <= span && high >= to && high - to <= span ? [low, high] : [from, to];
};
