// Advantages of a group's rewards (ThetaEvolve 3.4, D: GRPO; TTT-Discover: entropic), in double precision, so that
// equal rewards give exactly 0.
import type { LearningSettings } from '../config/run-config.ts';
import { meanOf, sumOf } from '../statistics.ts';

export type AdvantageKind = LearningSettings['advantage'];

/** The smallest group for which each kind is defined: the entropic form explodes for two rewards. */
export const LEAST_GROUP: { readonly [kind in AdvantageKind]: number } = { grpo: 2, 'grpo-nostd': 2, entropic: 3 };

/** Keeps the division finite; what slime and ThetaEvolve's code add. */
const STD_FLOOR = 1e-6;

export const isConstant = (rewards: readonly number[]): boolean => rewards.every((reward) => reward === rewards[0]);

/** An advantage for each reward; zeros in a constant group. Throws for small groups and rewards that are not finite. */
export const advantagesOf = (kind: AdvantageKind, rewards: readonly number[]): readonly number[] => {
  if (rewards.length < LEAST_GROUP[kind])
    throw new RangeError(
      `advantages: expected at least ${LEAST_GROUP[kind]} rewards for ${kind}, got ${rewards.length}`,
    );
  const wrong = rewards.find((reward) => !Number.isFinite(reward));
  if (wrong !== undefined) throw new RangeError(`advantages: expected finite rewards, got ${wrong}`);
  if (isConstant(rewards)) return rewards.map(() => 0);
  switch (kind) {
    case 'grpo': {
      const centred = centredOf(rewards);
      const std = Math.sqrt(sumOf(centred.map((value) => value ** 2)) / (rewards.length - 1));
      return centred.map((value) => value / (std + STD_FLOOR));
    }
    case 'grpo-nostd':
      return centredOf(rewards);
    case 'entropic':
      return entropic(rewards);
  }
};

const centredOf = (rewards: readonly number[]): readonly number[] => {
  const mean = meanOf(rewards)!;
  return rewards.map((reward) => reward - mean);
};

/** The distance of softmax(beta R) from the uniform distribution, in nats. */
const DIVERGENCE = Math.LN2;
const MOST_BETA = 1e6;
const BISECTIONS = 60;

/**
 * A_i = e_i / (mean of the other e + 1e-12) - 1, with e = exp(beta (R - max R)), rewards brought to [-1, 0], and beta
 * such that KL(softmax(beta R) || uniform) = ln 2.
 */
const entropic = (rewards: readonly number[]): readonly number[] => {
  const most = Math.max(...rewards);
  const range = most - Math.min(...rewards);
  const scaled = rewards.map((reward) => (reward - most) / range);
  let high = 1;
  while (divergence(scaled, high) < DIVERGENCE && high < MOST_BETA) high = Math.min(2 * high, MOST_BETA);
  let low = 0;
  if (divergence(scaled, high) < DIVERGENCE) low = high;
  else
    for (let round = 0; round < BISECTIONS; round++) {
      const middle = (low + high) / 2;
      if (divergence(scaled, middle) < DIVERGENCE) low = middle;
      else high = middle;
    }
  const weights = scaled.map((value) => Math.exp(((low + high) / 2) * value));
  const total = sumOf(weights);
  return weights.map((weight) => weight / ((total - weight) / (weights.length - 1) + 1e-12) - 1);
};

/** KL(softmax(beta R) || uniform), in nats. */
const divergence = (rewards: readonly number[], beta: number): number => {
  const weights = rewards.map((reward) => Math.exp(beta * reward));
  const total = sumOf(weights);
  return sumOf(
    weights.map((weight) => {
      const share = weight / total;
      return share === 0 ? 0 : share * Math.log(share * weights.length);
    }),
  );
};
