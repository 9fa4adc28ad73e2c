// Whether a run with these limits would end again at once. Used by RunHandle before it extends a run.
import { paidSoFar } from '../../activities/store/paid.ts';
import type { RunDocument } from '../../activities/store/documents.ts';
import { firstReached, type StopReason } from '../../evolution/budget.ts';
import type { Limits } from '../../evolution/config/run-config.ts';
import type { Direction } from '../../evolution/types.ts';

/** The limit that is reached already, if any. `direction` null (the task is gone): the target score is left out. */
export const alreadyReached = (run: RunDocument, limits: Limits, direction: Direction | null, now: Date): StopReason | null => {
  const { config, committedStep, totals, best, createdAt } = run;
  if (committedStep < 0) return null;
  const paid = paidSoFar(run);
  const made = Math.max(1, paid.programs);
  return firstReached(
    limits,
    {
      steps: committedStep, programs: totals.programs, tokens: paid.tokens, costUsd: paid.costUsd,
      wallSeconds: (now.getTime() - createdAt.getTime()) / 1000, sinceBest: totals.sinceBest, best: direction === null ? null : best?.score ?? null,
    },
    { programs: config.batch * config.responses, tokens: paid.tokens / made, costUsd: paid.costUsd / made },
    direction ?? 'maximise',
  );
};
