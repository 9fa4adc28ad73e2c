// A run's workflow reckons with its budget: what is spent, what one more response is likely to cost, and what a step
// may spend.
import type { RunBrief } from '../../activities/interface/run.ts';
import type { WindowLimits } from '../../activities/interface/step.ts';
import type { AllowanceBudget } from '../../evolution/budget/allowance.ts';
import { firstReached, HUMAN_BEATEN, type Spent, wallSeconds } from '../../evolution/budget/limits.ts';
import { rankingScore } from '../../evolution/scoring/ranking.ts';
import { rungReason } from '../../evolution/sweep/halving.ts';
import type { RunInput } from '../messages/run-input.ts';

/** `now` is in milliseconds since the epoch. */
export const spentBy = (brief: RunBrief, now: number): Spent => ({
  steps: brief.committedStep,
  programs: brief.totals.programs,
  tokens: brief.paid.tokens,
  costUsd: brief.paid.costUsd,
  wallSeconds: wallSeconds({ ...brief, nowMs: now, pausedMs: brief.pausedMs }, brief.limits),
  sinceBest: brief.totals.sinceBest,
  stagnantEpochs: brief.totals.stagnantEpochs ?? 0,
  best: brief.best === null ? null : rankingScore(brief.best, brief.scoring ?? 'tolerant'),
});

/** The mean over everything paid for; zero before the first response. */
export const expectedPerResponse = ({ paid }: RunBrief): { readonly tokens: number; readonly costUsd: number } => ({
  tokens: paid.programs === 0 ? 0 : paid.tokens / paid.programs,
  costUsd: paid.programs === 0 ? 0 : paid.costUsd / paid.programs,
});

/** The tokens and the money that a step may spend; null without limits on them. */
export const leftToSpend = (brief: RunBrief): AllowanceBudget | null => {
  const { limits, paid } = brief;
  if (limits.tokens === null && limits.costUsd === null) return null;
  return {
    tokens: limits.tokens === null ? null : Math.max(0, limits.tokens - paid.tokens),
    costUsd: limits.costUsd === null ? null : Math.max(0, limits.costUsd - paid.costUsd),
    perResponse: paid.programs === 0 ? null : expectedPerResponse(brief),
  };
};

/**
 * The number of steps and programs until a limit on them is reached. `until` is the number of programs at which the run
 * rests.
 */
export const leftToMake = (
  { limits, committedStep, totals }: RunBrief,
  until: { readonly programs: number } | null,
): WindowLimits => {
  const programs = [limits.programs, until?.programs ?? null].flatMap((limit) =>
    limit === null ? [] : [limit - totals.programs],
  );
  return {
    steps: limits.steps === null ? null : limits.steps - committedStep,
    programs: programs.length === 0 ? null : Math.min(...programs),
  };
};

/** The reason why no further step starts; null when one does. */
export const endOf = (
  brief: RunBrief,
  until: RunInput['until'] | null,
): { readonly status: 'finished' | 'stopped'; readonly reason: string } | null => {
  // A step that would exceed a limit on programs makes just as many as are left.
  const next = { programs: 1, ...expectedPerResponse(brief) };
  const reached = firstReached(brief.limits, spentBy(brief, Date.now()), next, brief.direction);
  if (reached) return { status: 'finished', reason: reached };
  if (brief.beatsHuman) return { status: 'finished', reason: HUMAN_BEATEN };
  if (until && brief.totals.programs >= until.programs)
    return { status: 'stopped', reason: rungReason(until.programs, brief.sweep ?? 'unknown') };
  return null;
};
