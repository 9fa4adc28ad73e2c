// The loss of one token and its gradient, written a second time beside the trainer's own (deploy/trainer), so that both
// are held against the same golden vectors.
import type { LearningSettings } from '../../../evolution/config/run-config.ts';

/** Logprobs in nats: the trainer's now, the trainer's before the update, the sampler's. */
export type Token = {
  readonly logprob: number;
  readonly before: number;
  readonly sampler: number;
  readonly advantage: number;
};
type Settings = Pick<LearningSettings, 'clip' | 'truncatedIs' | 'icepop'>;

/** max(-rA, -clamp(r)A) times the importance weight, and its derivative by `logprob`. */
export const tokenLoss = (
  { logprob, before, sampler, advantage }: Token,
  { clip, truncatedIs, icepop }: Settings,
): { readonly loss: number; readonly gradient: number } => {
  const ratio = Math.exp(logprob - before);
  const weight = truncatedIs === null ? 1 : weightOf(Math.exp(before - sampler), truncatedIs, icepop);
  const free = -ratio * advantage;
  const cut = -clamp(ratio, 1 - clip.low, 1 + clip.high) * advantage;
  return { loss: weight * Math.max(free, cut), gradient: free >= cut ? weight * free : 0 };
};

const weightOf = (weight: number, { low, high }: NonNullable<Settings['truncatedIs']>, icepop: boolean): number =>
  icepop && (weight < low || weight > high) ? 0 : clamp(weight, low, high);

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

/** (1/N) sum over rollouts of the mean over their tokens; `total` is N. */
export const batchLoss = (rollouts: readonly (readonly Token[])[], total: number, settings: Settings): number =>
  rollouts.reduce(
    (sum, tokens) =>
      sum +
      tokens.reduce((inner, token) => inner + tokenLoss(token, settings).loss, 0) / Math.max(tokens.length, 1) / total,
    0,
  );
