// What the task of a run says of its scores, and what the papers print.
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { taskOf } from '../../../client/connect/loaded-late.ts';
import { type PaperValues, paperValues } from '../../../client/papers/paper-values.ts';
import type { Known } from '../../api/run/overview.ts';

let papers: PaperValues | null = null;

/** Null where the task cannot be read any more. */
export const readKnown = async (store: Store, run: RunDocument): Promise<Known | null> => {
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
