// The task's and the papers' values for runs, read once for each version of their settings and a few at a time.
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import type { Known } from '../../api/run/overview.ts';
import { turnsOf } from './turns.ts';

const AT_ONCE = 4;
const MOST_KNOWN = 20_000;
/** What could not be read is tried again after so long. */
const AGAIN_MS = 30_000;

/** Null where the task cannot be read any more. */
export type KnownOf = (run: RunDocument) => Promise<Known | null>;

export const knownValues = (read: KnownOf): KnownOf => {
  const known = new Map<string, Promise<Known | null>>();
  const turn = turnsOf({ atOnce: AT_ONCE, waiting: Infinity }, () => {
    throw new RangeError('expected any number to wait');
  });
  return (run) => {
    const key = `${run.run} ${run.createdAt.getTime()} ${run.configVersion}`;
    const there = known.get(key);
    if (there !== undefined) return there;
    if (known.size >= MOST_KNOWN) known.delete(known.keys().next().value!);
    const reading = turn(() => read(run))
      .catch(() => null)
      .then((found) => {
        if (found === null) setTimeout(() => known.delete(key), AGAIN_MS).unref();
        return found;
      });
    known.set(key, reading);
    return reading;
  };
};
