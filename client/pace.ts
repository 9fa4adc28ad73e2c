// How many programs an open run makes, as its committed steps show it.
import type { RunDocument } from '../activities/store/documents.ts';
import type { Store } from '../activities/store/store.ts';

/** A rate is that of so many steps. */
const RATE_STEPS = 10;

/** Until now, so that a run that stands still becomes slower; null before its first step and where it does not run. */
export const programsPerHour = async (
  store: Pick<Store, 'eachStep'>,
  run: RunDocument,
  now: Date,
): Promise<number | null> => {
  if (run.status !== 'running' || run.committedStep < 1) return null;
  const first = Math.max(0, run.committedStep - RATE_STEPS);
  for await (const { at, totals } of store.eachStep(run.run, first)) {
    const hours = (now.getTime() - at.getTime()) / 3_600_000;
    return hours > 0 ? (run.totals.programs - totals.programs) / hours : null;
  }
  return null;
};
