// The learning of a run after an answer of a step or of an update. They answer in any order, so what is newer is told by
// its number.
import type { LearningBrief } from '../../activities/interface/learning.ts';
import type { RunBrief } from '../../activities/interface/run.ts';
import type { SettingsBrief } from '../../activities/interface/step.ts';
import type { Paid } from '../../evolution/budget/money.ts';

/** Settings that may have been read before the last update was committed. */
export const withSettings = (brief: RunBrief, settings: Partial<SettingsBrief>): RunBrief => {
  const present = brief.learning;
  const read = settings.learning;
  const merged = { ...brief, ...settings };
  if (read === undefined) return merged;
  const learned = upTo(brief, Math.max(read.learned, present?.learned ?? read.learned));
  const { policy, last } = present === undefined || read.learned >= present.learned ? read : present;
  return { ...merged, learning: { ...read, learned, policy, last } };
};

/** The settings in what an update says may be older than those that the run was told meanwhile. */
export const withLearned = (brief: RunBrief, said: LearningBrief): RunBrief => {
  const { version = brief.configVersion, paid = brief.paid } = said;
  const { on, trainer, lag } = version < brief.configVersion && brief.learning ? brief.learning : said;
  const learned = upTo(brief, said.learned);
  return { ...brief, paid: morePaid(brief.paid, paid), learning: { ...said, on, trainer, lag, learned } };
};

/**
 * After a reset by hand the store may be further than this execution, until the next step is opened and takes it back:
 * the updates of the steps that are then made again are still to come.
 */
const upTo = ({ committedStep }: RunBrief, learned: number): number => Math.min(learned, committedStep);

/** Sums only grow, so the larger one is the later one. */
export const morePaid = (one: Paid, other: Paid): Paid => ({
  programs: Math.max(one.programs, other.programs),
  tokens: Math.max(one.tokens, other.tokens),
  costUsd: Math.max(one.costUsd, other.costUsd),
});
