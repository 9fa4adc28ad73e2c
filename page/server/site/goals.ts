// The values to reach of a run: those of its task and of the papers, read once for each version of its settings.
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import type { Goals } from '../../api/run/overview.ts';
import { Kept } from './kept.ts';
import { turnsOf } from './turns.ts';
import type { Store } from '../../../activities/store/store.ts';
import { taskOf } from '../../../client/connect/loaded-late.ts';
import { type PaperValues, paperValues } from '../../../client/papers/paper-values.ts';

const AT_ONCE = 4;
const MOST_RUNS = 20_000;
/** A task that could not be read is tried again after so long. */
const AGAIN_MS = 30_000;

/** Null where the task cannot be read any more. */
export type GoalsOf = (run: RunDocument) => Promise<Goals | null>;

export const goalsOfRuns = (read: GoalsOf): GoalsOf => {
  const goals = new Kept<Goals | null>(MOST_RUNS);
  const turn = turnsOf({ atOnce: AT_ONCE });
  return (run) => {
    const key = `${run.run} ${run.createdAt.getTime()} ${run.configVersion}`;
    return goals.get(key, () =>
      turn(() => read(run))
        .catch(() => null)
        .then((found) => {
          if (found === null) setTimeout(() => goals.drop(key), AGAIN_MS).unref();
          return found;
        }),
    );
  };
};

let papers: PaperValues | null = null;

export const readGoals = async (store: Store, run: RunDocument): Promise<Goals | null> => {
  try {
    const { title, direction, scoreName, references } = await taskOf(store, run);
    papers ??= paperValues();
    const best = references.find((reference) => reference.best === true);
    return {
      ...{ title, direction, scoreName },
      paper: papers.of(run.config) ?? references.find(({ paper }) => paper === run.config.method)?.value ?? null,
      bestKnown: best === undefined ? null : { value: best.value, strict: best.strict, source: best.source },
    };
  } catch {
    return null;
  }
};
