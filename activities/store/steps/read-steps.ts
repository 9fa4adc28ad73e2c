// Reading the steps of a run by their markers, which the lineage of the run chooses.
import type { ChangeSet, ProgramId, RunId } from '../../../evolution/types.ts';
import type { Texts } from '../content/texts.ts';
import type { RunDocument, StepDocument } from '../documents/documents.ts';
import { eraOf, liveMarkerId, markerId } from '../documents/lineage.ts';
import { asRead, requireRun } from '../documents/run-documents.ts';
import { programsOf } from '../documents/step-ids.ts';
import type { Collections, StoredRun, StoredStep } from '../documents/stored.ts';
import { committedMarkers, readChangeSet } from './markers.ts';

/**
 * What a committed step stored, for checks. `fingerprint` is that of the rows after it; `programs` are their ids in
 * birth order.
 */
export type CommittedStep = {
  readonly step: StepDocument;
  readonly changeSet: ChangeSet;
  readonly fingerprint: string;
  readonly programs: readonly ProgramId[];
};

/** The programs of a committed step, in birth order. `run` and `generation` name the commit. */
export type CommittedPrograms = Pick<StepDocument, 'run' | 'step' | 'generation'> & {
  readonly programs: readonly ProgramId[];
};

/** The marker of the run's last step, where this process committed it and so need not read it. */
export type NewestMarker = { knownMarker(run: StoredRun): StoredStep | null };
type Markers = { readonly collections: Collections; readonly cache: NewestMarker };

/** The state is decided by lineage, because marking the steps that a rewind superseded may have been cut short. */
export const readStep = async (
  collections: Collections,
  runId: RunId,
  step: number,
  generation: number,
): Promise<StepDocument | null> => {
  const run = await requireRun(collections, runId);
  const era = eraOf(run, step);
  const marker = await collections.steps.get(
    markerId(era.generation === generation ? era.run : runId, step, generation),
  );
  if (marker === null) return null;
  if (era.generation !== generation) return { ...marker, state: 'superseded' };
  return step <= run.committedStep ? { ...marker, state: 'committed' } : marker;
};

export const committedAt = async (
  { collections, cache }: Markers,
  given: RunId | RunDocument,
  step: number,
): Promise<Date | null> => {
  const run = await asRead(collections, given);
  if (step < 0 || step > run.committedStep) return null;
  const known = step === run.committedStep ? cache.knownMarker(run) : null;
  if (known !== null) return known.at;
  return (await collections.steps.get(liveMarkerId(run, step)))?.at ?? null;
};

export async function* eachStep(
  { collections, cache }: Markers,
  given: RunId | RunDocument,
  from: number,
): AsyncGenerator<StepDocument> {
  const run = await asRead(collections, given);
  const known = from === run.committedStep ? cache.knownMarker(run) : null;
  if (known !== null) {
    yield { ...known, state: 'committed' };
    return;
  }
  for await (const marker of committedMarkers(collections, run, Math.max(0, from), run.committedStep))
    yield { ...marker, state: 'committed' };
}

export async function* eachStepPrograms(
  collections: Collections,
  given: RunId | RunDocument,
  from: number,
): AsyncGenerator<CommittedPrograms> {
  const document = await asRead(collections, given);
  for await (const marker of committedMarkers(collections, document, Math.max(0, from), document.committedStep)) {
    const { run, step, generation } = marker;
    yield { run, step, generation, programs: programsOf(marker) };
  }
}

export async function* eachCommitted(
  collections: Collections,
  texts: Texts,
  runId: RunId,
  from: number,
): AsyncGenerator<CommittedStep> {
  const run = await requireRun(collections, runId);
  for await (const marker of committedMarkers(collections, run, Math.max(0, from), run.committedStep)) {
    yield {
      step: { ...marker, state: 'committed' },
      fingerprint: marker.fingerprint,
      programs: programsOf(marker),
      changeSet: await readChangeSet(texts, marker),
    };
  }
}

/** A marker that was never committed is left out, because it remains from an attempt that was cut short. */
export const supersededSteps = async (collections: Collections, runId: RunId): Promise<readonly StepDocument[]> => {
  // The markers are read first, so that a step which is committed between the two reads is not taken for rewound.
  const markers = await collections.steps.find({ run: runId });
  const run = await requireRun(collections, runId);
  return markers
    .filter(
      (marker) =>
        marker.state !== 'prepared' &&
        !(marker.step <= run.committedStep && marker._id === liveMarkerId(run, marker.step)),
    )
    .map((marker): StepDocument => ({ ...marker, state: 'superseded' }))
    .sort((a, b) => a.generation - b.generation || a.step - b.step);
};
