// The answers of a run that a rewind or `retry --resample` gave up: nobody can come back to them, because steps that
// are done again have another epoch, and so other ids. The marks of the steps stay, and the costs are in the run
// document. Forks keep the steps with which they began.
import type { RunId } from '../../../evolution/types.ts';
import { type PortableCollection, type Row, sameContent } from '../documents/collection.ts';
import { markerId } from '../documents/lineage.ts';
import { epochAt } from '../steps/paid.ts';
import type { Collections, StoredRun } from '../documents/stored.ts';

/** Their ids begin with run, step and epoch. */
const BY_EPOCH = ['prompts', 'rollouts', 'deltas', 'requests', 'calls', 'embeddings', 'programs'] as const;
type RunRow = Row & { readonly run: RunId };
const POSITION = /^[^:]+:(\d+):(\d+):/;
const at = (step: number, epoch: number): string => `${step}:${epoch}`;

/** Ids by collection. Nothing of a run that has learned, for its batches refer to answers of all epochs. */
export const supersededIn = async (
  collections: Collections,
  run: RunId,
): Promise<Readonly<Record<string, readonly string[]>>> => {
  const all = await collections.runs.find({ run: { $gte: '' } });
  const document = all.find(({ _id }) => _id === run);
  if (document === undefined || document.policy !== undefined || document.epochs.length === 0) return {};
  const epochs = new Map(
    (await collections.steps.find({ run }, ['epoch'])).map(({ _id, epoch }) => [_id, epoch] as const),
  );
  const live = new Set<string>();
  for (const one of all)
    for (const { step, generation } of erasIn(one, run)) {
      const epoch = epochs.get(markerId(run, step, generation));
      if (epoch !== undefined) live.add(at(step, epoch));
    }
  const superseded: Record<string, readonly string[]> = {};
  for (const name of BY_EPOCH) {
    const rows = collections[name] as unknown as PortableCollection<RunRow>;
    const ids = (await rows.find({ run }, ['_id']))
      .map(({ _id }) => _id)
      .filter((id) => {
        const [, step, epoch] = POSITION.exec(id) ?? [];
        if (step === undefined) return false;
        const open = Number(step) > document.committedStep && Number(epoch) === epochAt(document.epochs, Number(step));
        return !open && !live.has(at(Number(step), Number(epoch)));
      });
    if (ids.length > 0) superseded[name] = ids;
  }
  // Somebody went back meanwhile: what was looked at is no longer what is there.
  const after = await collections.runs.get(run);
  const isSame = sameContent([after?.epochs, after?.lineage], [document.epochs, document.lineage]);
  return isSame ? superseded : {};
};

/** The committed steps of `one` that are steps of `run`, with their generations. */
function* erasIn(
  { lineage, committedStep }: StoredRun,
  run: RunId,
): Generator<{ readonly step: number; readonly generation: number }> {
  for (const [index, era] of lineage.entries()) {
    if (era.run !== run) continue;
    const end = Math.min(committedStep, (lineage[index + 1]?.step ?? Infinity) - 1);
    for (let step = era.step; step <= end; step++) yield { step, generation: era.generation };
  }
}
