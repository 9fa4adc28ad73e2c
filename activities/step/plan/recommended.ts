// The recommendation that each group is shown of the run's notes (`prompt.notes`).
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { rng } from '../../../evolution/rng.ts';
import type { BlobRef, RunId } from '../../../evolution/types.ts';
import { readTexts } from '../../reading/reading.ts';
import type { Ahead } from '../../store/ahead.ts';
import type { Store } from '../../store/store.ts';
import { latestNotes } from '../ask/prompts/tried.ts';

/** One for each group, drawn from the newest notes; null where there are none. */
export const recommendations = async (
  store: Store,
  {
    run,
    config: { prompt, seed },
    step,
    groups,
    ahead,
  }: {
    readonly run: RunId;
    readonly config: RunConfig;
    readonly step: number;
    readonly groups: readonly number[];
    readonly ahead: Ahead | undefined;
  },
): Promise<readonly (BlobRef | null)[]> => {
  const notes = prompt.notes === null ? null : await latestNotes({ store, run, beforeStep: step, ahead });
  if (notes === null) return groups.map(() => null);
  const text = (await store.getTexts([notes.text])).get(notes.text) ?? '';
  const all = (await readTexts('notes', [text]))[0]!.value ?? [];
  if (all.length === 0) return groups.map(() => null);
  const drawn = groups.map((group) => rng(seed, 'notes', step, group).pick(all));
  return store.putTexts(drawn);
};
