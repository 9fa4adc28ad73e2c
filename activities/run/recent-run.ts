// The settings of a run, for activities that are called hundreds of times a step: read at most once every two seconds
// a run. Settings hold from one step to the next, so a read that old is never wrong within a step.
import type { RunId } from '../../evolution/types.ts';
import type { RunDocument } from '../store/documents.ts';
import type { Store } from '../store/store.ts';
import { missing } from './step-summary.ts';

const FRESH_MS = 2_000;
const KEPT = 100;

type RunSettings = Pick<RunDocument, 'config' | 'evaluatorDigest' | 'taskSnapshot' | 'isolation'>;

/** Throws when the run does not exist. */
export const recentRun = (store: Store): ((run: RunId) => Promise<RunSettings>) => {
  const cache = new Map<RunId, { readonly at: number; readonly settings: Promise<RunSettings> }>();
  return (run) => {
    const known = cache.get(run);
    if (known && Date.now() - known.at < FRESH_MS) return known.settings;
    const settings = store.readRun(run).then((document) => {
      if (!document) throw missing(`run ${run}`);
      return document;
    });
    settings.catch(() => cache.delete(run));
    if (cache.size >= KEPT) cache.clear();
    cache.set(run, { at: Date.now(), settings });
    return settings;
  };
};
