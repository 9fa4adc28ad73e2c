// What the task of a run says of its scores, and what the papers print: read once for each version of its settings.
import type { RunDocument } from '../../../activities/store/documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { taskOf } from '../../../client/loaded-late.ts';
import type { Known } from '../../data/glance.ts';

const MOST_KNOWN = 256;

/** Null where the task cannot be read any more. */
export type KnownOf = (store: Store, run: RunDocument) => Promise<Known | null>;

export const knownValues = (): KnownOf => {
  const known = new Map<string, Promise<Known | null>>();
  return (store, run) => {
    const key = `${run.run} ${run.createdAt.getTime()} ${run.configVersion}`;
    const there = known.get(key);
    if (there !== undefined) return there;
    const reading = readKnown(store, run).catch(() => null);
    if (known.size >= MOST_KNOWN) known.delete(known.keys().next().value!);
    known.set(key, reading);
    return reading;
  };
};

const readKnown = async (store: Store, run: RunDocument): Promise<Known> => {
  const { title, direction, scoreName, references } = await taskOf(store, run);
  const { paperValues } = await import('../../../client/paper-values.ts');
  const best = references.find((reference) => reference.best === true);
  return {
    ...{ title, direction, scoreName },
    paper: paperValues().of(run.config) ?? references.find(({ paper }) => paper === run.config.method)?.value ?? null,
    bestKnown: best === undefined ? null : { value: best.value, strict: best.strict, source: best.source },
  };
};
