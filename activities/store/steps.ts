// Reading step markers: one, all that are committed, and those that a rewind gave up. Called by open-store.ts.
import { programId } from '../../evolution/ids.ts';
import type { ProgramId, RunId } from '../../evolution/types.ts';
import type { StepDocument } from './documents.ts';
import { eraOf, liveMarkerId, markerId } from './lineage.ts';
import { committedMarkers, readChangeSet } from './markers.ts';
import { requireRun } from './run-documents.ts';
import type { CommittedStep } from './store.ts';
import type { Collections, StoredStep } from './stored.ts';
import type { Texts } from './texts.ts';

/** The state as the lineage has it: marking what a rewind superseded may have been cut short. */
export const readStep = async (collections: Collections, runId: RunId, step: number, generation: number): Promise<StepDocument | null> => {
  const run = await requireRun(collections, runId);
  const era = eraOf(run, step);
  const marker = await collections.steps.get(markerId(era.generation === generation ? era.run : runId, step, generation));
  if (marker === null) return null;
  if (era.generation !== generation) return { ...marker, state: 'superseded' };
  return step <= run.committedStep ? { ...marker, state: 'committed' } : marker;
};

export async function* eachStep(collections: Collections, runId: RunId, from: number): AsyncGenerator<StepDocument> {
  const run = await requireRun(collections, runId);
  for await (const marker of committedMarkers(collections, run, Math.max(0, from), run.committedStep)) yield { ...marker, state: 'committed' };
}

export async function* eachCommitted(collections: Collections, texts: Texts, runId: RunId, from: number): AsyncGenerator<CommittedStep> {
  const run = await requireRun(collections, runId);
  for await (const marker of committedMarkers(collections, run, Math.max(0, from), run.committedStep)) {
    yield { step: { ...marker, state: 'committed' }, fingerprint: marker.fingerprint, programs: programsOf(marker), changeSet: await readChangeSet(texts, marker) };
  }
}

/** Ids of a step's programs in birth order. */
export const programsOf = ({ run, step, epoch, slots }: StoredStep): readonly ProgramId[] =>
  slots.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => programId(run, step, epoch, first + index)));

/** A marker that was never committed is left out: it is what remains of an attempt. */
export const supersededSteps = async (collections: Collections, runId: RunId): Promise<readonly StepDocument[]> => {
  // In this order: what is committed between the two reads is not taken for given up.
  const markers = await collections.steps.find({ run: runId });
  const run = await requireRun(collections, runId);
  return markers
    .filter((marker) => marker.state !== 'prepared' && !(marker.step <= run.committedStep && marker._id === liveMarkerId(run, marker.step)))
    .map((marker): StepDocument => ({ ...marker, state: 'superseded' }))
    .sort((a, b) => a.generation - b.generation || a.step - b.step);
};
