// Refuses to go on with a run that has reached one of its limits already.
import { firstReached, type StopReason, wallSeconds } from '../../evolution/budget/limits.ts';
import { inventsScores } from '../../evolution/config/noop.ts';
import type { RunLimits } from '../../evolution/config/run-config.ts';
import { rankingScore } from '../../evolution/scoring/ranking.ts';
import type { Direction } from '../../evolution/types.ts';
import { hasEnded } from '../../evolution/run-states.ts';
import type { RunDocument } from '../store/documents/documents.ts';
import { paidSoFar } from '../store/steps/paid.ts';

/** The time during which the run was paused or had ended. A clock that was set back takes nothing away. */
export const pausedMsOf = ({ pausedMs = 0, status, endedAt }: RunDocument, now: Date): number =>
  pausedMs + (hasEnded({ status }) && endedAt !== null ? Math.max(0, now.getTime() - endedAt.getTime()) : 0);

/** The seconds that a limit on wall time counts. */
export const wallSecondsOf = (run: RunDocument, limits: Pick<RunLimits, 'countPauses'>, now: Date): number =>
  wallSeconds(
    { createdAtMs: run.createdAt.getTime(), nowMs: now.getTime(), pausedMs: pausedMsOf(run, now) },
    { ...run.config.limits, ...limits },
  );

/** The limit with which the run would end again at once, if any. Without a direction the target score is left out. */
export const alreadyReached = (
  run: RunDocument,
  limits: RunLimits,
  direction: Direction | null,
  now: Date,
): StopReason | null => {
  const { config, committedStep, totals, best } = run;
  if (committedStep < 0) return null;
  const paid = paidSoFar(run);
  const paidPrograms = Math.max(1, paid.programs);
  return firstReached(
    limits,
    {
      steps: committedStep,
      programs: totals.programs,
      tokens: paid.tokens,
      costUsd: paid.costUsd,
      wallSeconds: wallSecondsOf(run, limits, now),
      sinceBest: totals.sinceBest,
      stagnantEpochs: totals.stagnantEpochs ?? 0,
      best:
        direction === null || best === null || inventsScores(config)
          ? null
          : rankingScore(best, config.evaluation.scoring),
    },
    { programs: 1, tokens: paid.tokens / paidPrograms, costUsd: paid.costUsd / paidPrograms },
    direction ?? 'maximise',
  );
};

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

/** The sentence that says how far the run is, and that the new limit is not more than that. */
export const reachedText = (run: RunDocument, reached: StopReason, limits: RunLimits, now: Date): string => {
  const { totals, best, config } = run;
  const paid = paidSoFar(run);
  const has: { readonly [limit in StopReason]: string } = {
    steps: `has made ${counted(Math.max(0, run.committedStep), 'step')}`,
    programs: `has made ${counted(totals.programs, 'program')}`,
    tokens: `has paid for ${counted(paid.tokens, 'token')}`,
    costUsd: `has cost $${Number(paid.costUsd.toPrecision(6))}`,
    wallSeconds: `has taken ${Math.ceil(wallSecondsOf(run, limits, now))} s`,
    noImprovementPrograms: `has made ${counted(totals.sinceBest, 'program')} without a better best`,
    stagnantEpochs: `has made ${counted(totals.stagnantEpochs ?? 0, 'step')} without a better best of any island`,
    targetScore: `has the best score ${best === null ? 'none' : rankingScore(best, config.evaluation.scoring)}`,
  };
  const enough =
    reached === 'targetScore'
      ? 'is not better'
      : reached === 'programs' || reached === 'tokens' || reached === 'costUsd'
        ? 'leaves no room for another program'
        : 'is not more';
  return `run ${run.run} ${has[reached]}; limits.${reached} = ${limits[reached]} ${enough}, so it would not go on`;
};
