// The rate at which an open run makes programs, by its committed steps.
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { isLongEnough, LEAST_STEPS, type PacePoint, type Rate, rateBetween } from '../../evolution/budget/pace.ts';

/** One marker is read, and not a page of those behind it. */
const pointAt = async (store: Pick<Store, 'eachStep'>, run: RunDocument, step: number): Promise<PacePoint | null> => {
  for await (const { totals, at, pausedMs } of store.eachStep({ ...run, committedStep: step }, step)) {
    const { programs, tokens, costUsd } = totals;
    return { step, programs, tokens: tokens.in + tokens.out, costUsd, atMs: at.getTime(), pausedMs };
  }
  return null;
};

/**
 * The same rate as that of the page (evolution/budget/pace.ts): until now, so that a run that stands still becomes
 * slower. Null before its second step and where it does not run. The steps that a fork has of another run do not count.
 */
export const paceOf = async (store: Pick<Store, 'eachStep'>, run: RunDocument, now: Date): Promise<Rate | null> => {
  const { status, committedStep, origin, pausedMs = 0 } = run;
  const least = origin === null ? 0 : origin.step + 1;
  if (status !== 'running' || committedStep <= least) return null;
  const last = await pointAt(store, run, committedStep);
  for (let back = LEAST_STEPS; last !== null; back *= 2) {
    const step = Math.max(least, committedStep - back);
    const first = await pointAt(store, run, step);
    if (first === null) return null;
    if (step === least || isLongEnough(first, last)) return rateBetween(first, last, { atMs: now.getTime(), pausedMs });
  }
  return null;
};
