// How far the learning of a run has come beside its steps: which update is due, for which one a step waits, and what the
// run knows after an answer. Steps and updates answer in any order, so what is newer is told by its number.
import type { LearningBrief } from '../../activities/interface/learning.ts';
import type { RunBrief } from '../../activities/interface/run.ts';
import type { SettingsBrief } from '../../activities/interface/step.ts';
import type { Paid } from '../../evolution/budget/money.ts';

type Known = Pick<RunBrief, 'learning' | 'committedStep'>;

/**
 * The committed step whose update is made next; null where none is due. A run whose learning begins late begins at its
 * present step, because what it sampled before has no policy.
 */
export const nextUpdate = ({ learning, committedStep }: Known): number | null => {
  if (learning?.on !== true || committedStep < 0) return null;
  const next = learning.policy === null ? Math.max(learning.learned + 1, committedStep) : learning.learned + 1;
  return next <= committedStep ? next : null;
};

/** Whether the present step is to be left out, because learning is switched off: nothing is trained on it later. */
export const isLeftOut = ({ learning, committedStep }: Known): boolean =>
  learning?.on === false && learning.policy !== null && learning.learned < committedStep;

/** Whether the next step samples from the policy that comes of this update. The first policy is always waited for. */
export const awaits = ({ learning, committedStep }: Known, update: number): boolean =>
  learning?.on === true && (learning.policy === null || update <= committedStep - learning.lag);

/** Limits after which no update begins: a run that has used up its money or its time is not to use more. */
const USED_UP: readonly string[] = ['costUsd', 'tokens', 'wallSeconds'];

/** Whether a run that has reached its end makes the updates first that are left. */
export const learnsAtEnd = (
  { learning }: Known,
  end: { readonly status: 'finished' | 'stopped'; readonly reason: string },
): boolean => end.status === 'finished' && !USED_UP.includes(end.reason) && learning?.policy !== null;

/** Settings that may have been read before the last update was committed. */
export const withSettings = (brief: RunBrief, settings: Partial<SettingsBrief>): RunBrief => {
  const known = brief.learning;
  const read = settings.learning;
  const merged = { ...brief, ...settings };
  if (read === undefined) return merged;
  const learned = upTo(brief, Math.max(read.learned, known?.learned ?? read.learned));
  const { policy, last } = known === undefined || read.learned >= known.learned ? read : known;
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
