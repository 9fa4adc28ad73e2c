// Whether a run that is to go on has reached one of its limits already.
import { firstReached, type StopReason } from '../../evolution/budget/limits.ts';
import { inventsScores } from '../../evolution/config/noop.ts';
import type { Limits } from '../../evolution/config/run-config.ts';
import { rankingScore } from '../../evolution/scoring/ranking.ts';
import type { Direction } from '../../evolution/types.ts';
import type { RunDocument } from '../store/documents.ts';
import { paidSoFar } from '../store/paid.ts';

/**
 * The limit that is reached already, if any: with it the run would end again at once. The target score is left out
 * where `direction` is null because the task is gone.
 */
export const alreadyReached = (
  run: RunDocument,
  limits: Limits,
  direction: Direction | null,
  now: Date,
): StopReason | null => {
  const { config, committedStep, totals, best, createdAt } = run;
  if (committedStep < 0) return null;
  const paid = paidSoFar(run);
  const made = Math.max(1, paid.programs);
  return firstReached(
    limits,
    {
      steps: committedStep,
      programs: totals.programs,
      tokens: paid.tokens,
      costUsd: paid.costUsd,
      wallSeconds: (now.getTime() - createdAt.getTime()) / 1000,
      sinceBest: totals.sinceBest,
      stagnantEpochs: totals.stagnantEpochs ?? 0,
      best:
        direction === null || best === null || inventsScores(config)
          ? null
          : rankingScore(best, config.evaluation.scoring),
    },
    { programs: 1, tokens: paid.tokens / made, costUsd: paid.costUsd / made },
    direction ?? 'maximise',
  );
};
