// L, U and alpha for the shaped reward, from the scores that a run without learning has seen (ThetaEvolve, section 2, Reward: "choose L, U, alpha from the
// scores seen; safe choice alpha = 1 with a narrow interval"). Called by `evolve propose-reward`.
import type { Direction } from './types.ts';

export type RewardProposal = {
  readonly lower: number; readonly upper: number; readonly alpha: 1; readonly k: 3;
  /** Valid programs it is drawn from. */
  readonly scores: number;
  /** Shares of them whose reward is 0 and 3. */
  readonly atZero: number; readonly atFull: number;
  readonly why: string;
};

/** Of the valid scores the worse quarter is left below the interval: rewards should tell good programs from better ones. */
const LEFT_BELOW = 0.25;
/** Room beyond the best score seen, as a share of the way to it: an improvement must still pay. */
const ROOM = 0.1;
const DIGITS = 2;

/** Null where fewer than two different scores were seen. */
export const proposeReward = (scores: readonly number[], direction: Direction): RewardProposal | null => {
  const sign = direction === 'maximise' ? 1 : -1;
  // Worst first, as merits.
  const merits = scores.map((score) => sign * score).filter(Number.isFinite).sort((a, b) => a - b);
  const best = merits.at(-1);
  if (best === undefined || merits[0] === best) return null;
  const quarter = merits[Math.floor(merits.length * LEFT_BELOW)]!;
  const worse = quarter < best ? quarter : merits.findLast((merit) => merit < best)!;
  const span = best - worse;
  const [from, to] = roundedOutwards(worse, best + ROOM * span, span);
  const [lower, upper] = direction === 'maximise' ? [from, to] : [0 - to, 0 - from];
  const share = (of: (merit: number) => boolean): number => merits.filter(of).length / merits.length;
  return {
    lower, upper, alpha: 1, k: 3, scores: merits.length, atZero: share((merit) => merit <= from), atFull: share((merit) => merit >= to),
    why: `the interval begins at the worst of the better three quarters of ${merits.length} valid scores and ends a tenth beyond the best one, both rounded outwards; alpha 1 is the safe choice for a narrow interval (ThetaEvolve)`,
  };
};

/** To two digits of the interval; as they are where floating point has no such numbers. */
const roundedOutwards = (from: number, to: number, span: number): readonly [number, number] => {
  const exponent = Math.floor(Math.log10(span)) - DIGITS + 1;
  const unit = 10 ** exponent;
  const tidy = (value: number): number => Number(value.toFixed(Math.min(100, Math.max(0, -exponent)))) + 0;
  const [low, high] = [tidy(Math.floor(from / unit) * unit), tidy(Math.ceil(to / unit) * unit)];
  return low <= from && from - low <= span && high >= to && high - to <= span ? [low, high] : [from, to];
};
