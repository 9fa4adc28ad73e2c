// The rows of a batch, with order and advantage (ThetaEvolve 3.4, 4.1). No reward leaves an answer out.
import type { LearningSettings } from '../config/run-config.ts';
import { meanOf } from '../statistics.ts';
import { advantagesOf, isConstant, LEAST_GROUP } from './advantages.ts';

/** An answer of the policy with what it was worth. */
export type Rewarded = {
  readonly id: string;
  /** Answers of one group were asked the same; their rewards are compared with each other. */
  readonly group: string;
  /** Its place in the order of all: group, then sample. */
  readonly place: number;
  readonly reward: number;
  readonly truncated: boolean;
  /** Its token ids and logprobs are complete. */
  readonly isWhole: boolean;
};

export type Row = Pick<Rewarded, 'id' | 'group' | 'reward' | 'truncated'> & { readonly advantage: number };

export type Rows = {
  readonly rows: readonly Row[];
  /** N of the mean: all answers, those that are not among the rows too. */
  readonly total: number;
  readonly reward: { readonly mean: number; readonly max: number } | null;
  readonly groups: number;
  /** Groups whose rewards are all the same, so that they teach nothing. */
  readonly zeroVariance: number;
  /** Answers without token ids or logprobs, and those that are alone in their group because of it. */
  readonly missing: number;
  readonly truncated: number;
};

/**
 * Groups are normalised over whole answers and need as many as their kind of advantage; truncated answers count.
 * Constant groups count in the mean, and are rows with `sendConstant` or where all groups are constant: an optimizer
 * step needs a batch.
 */
export const rowsOf = (
  given: readonly Rewarded[],
  { advantage, sendConstant }: Pick<LearningSettings, 'advantage' | 'sendConstant'>,
): Rows => {
  const answers = [...given].sort((a, b) => a.place - b.place || (a.id < b.id ? -1 : 1));
  const rewards = answers.map(({ reward }) => reward);
  const groups = [...Map.groupBy(answers, ({ group }) => group).values()]
    .map((group) => group.filter(({ isWhole }) => isWhole))
    .filter((group) => group.length >= LEAST_GROUP[advantage]);
  const areConstant = groups.map((group) => isConstant(group.map(({ reward }) => reward)));
  const sends = sendConstant || areConstant.every((constant) => constant);
  const rows = groups.flatMap((group, place): readonly Row[] => {
    const rewardsOfGroup = group.map(({ reward }) => reward);
    if (areConstant[place] && !sends) return [];
    const advantages = advantagesOf(advantage, rewardsOfGroup);
    return group.map(({ id, group: of, reward, truncated }, index) => ({
      id,
      group: of,
      reward,
      truncated,
      advantage: advantages[index]!,
    }));
  });
  return {
    rows,
    total: answers.length,
    reward: answers.length === 0 ? null : { mean: meanOf(rewards)!, max: Math.max(...rewards) },
    groups: groups.length,
    zeroVariance: areConstant.filter((constant) => constant).length,
    missing: answers.length - groups.reduce((sum, group) => sum + group.length, 0),
    truncated: answers.filter(({ truncated }) => truncated).length,
  };
};
