// Reading the steps of a run by their markers, which the lineage of the run chooses.
import type { ChangeSet, ProgramId, RunId } from '../../../evolution/types.ts';
import type { Texts } from '../content/texts.ts';
import type { RunDocument, StepDocument } from '../documents/documents.ts';
import { eraOf, liveMarkerId, markerId } from '../documents/lineage.ts';
import { asRead, requireRun } from '../documents/run-documents.ts';
import { programsOf } from '../documents/step-ids.ts';
import type { Collections, StoredRun, StoredStep } from '../documents/stored.ts';
import { committedMarkers, readChangeSet } from './markers.ts';

/** A committed step with its change set, for checks: the fingerprint of the rows after it, and ids in birth order. */
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

export interface StepReading {
  readStep(run: RunId, step: number, generation: number): Promise<StepDocument | null>;
  /** The time at which the step of the run as it is now was committed; null where it is not. */
  committedAt(run: RunId | RunDocument, step: number): Promise<Date | null>;
  /**
   * The committed steps from `from` on (0 when left out). `run` is the run that made the step: for a fork's first steps
   * the other run, whose settings `configVersion` counts.
   */
  eachStep(run: RunId | RunDocument, from?: number): AsyncIterable<StepDocument>;
  /** Of the same steps those that are named, in one read and in no particular order. */
  stepsAt(run: RunDocument, steps: readonly number[]): Promise<readonly StepDocument[]>;
  /** The same steps, each with what it did to the population. */
  eachCommitted(run: RunId, from?: number): AsyncIterable<CommittedStep>;
  /** The ids of what the same steps made, with nothing read but their markers. */
  eachStepPrograms(run: RunId | RunDocument, from?: number): AsyncIterable<CommittedPrograms>;
  /**
   * Steps that were rewound, oldest generation first, then by step; by a scan. Markers that were never committed are
   * left out.
   */
  supersededSteps(run: RunId): Promise<readonly StepDocument[]>;
}

/** Knows the marker of the run's last step where this process committed it. */
export type NewestMarker = { knownMarker(run: StoredRun): StoredStep | null };

export const stepReading = (collections: Collections, texts: Texts, cache: NewestMarker): StepReading => {
  const { steps } = collections;
  return {
    /** The state is decided by lineage, because marking the steps that a rewind superseded may have been cut short. */
    async readStep(runId, step, generation) {
      const run = await requireRun(collections, runId);
      const era = eraOf(run, step);
      const isLive = era.generation === generation;
      const marker = await steps.get(markerId(isLive ? era.run : runId, step, generation));
      if (marker === null) return null;
      if (!isLive) return { ...marker, state: 'superseded' };
      return step <= run.committedStep ? { ...marker, state: 'committed' } : marker;
    },
    async committedAt(idOrRun, step) {
      const run = await asRead(collections, idOrRun);
      if (step < 0 || step > run.committedStep) return null;
      const newest = step === run.committedStep ? cache.knownMarker(run) : null;
      return (newest ?? (await steps.get(liveMarkerId(run, step))))?.at ?? null;
    },
    async *eachStep(idOrRun, from = 0) {
      const run = await asRead(collections, idOrRun);
      const newest = from === run.committedStep ? cache.knownMarker(run) : null;
      const markers = newest === null ? committedMarkers(collections, run, from, run.committedStep) : [newest];
      for await (const marker of markers) yield { ...marker, state: 'committed' };
    },
    async stepsAt(document, wanted) {
      const run = await asRead(collections, document);
      const committed = wanted.filter((step) => step >= 0 && step <= run.committedStep);
      const markers = await steps.getMany(committed.map((step) => liveMarkerId(run, step)));
      return markers.map((marker): StepDocument => ({ ...marker, state: 'committed' }));
    },
    async *eachStepPrograms(idOrRun, from = 0) {
      const document = await asRead(collections, idOrRun);
      for await (const marker of committedMarkers(collections, document, from, document.committedStep)) {
        const { run, step, generation } = marker;
        yield { run, step, generation, programs: programsOf(marker) };
      }
    },
    async *eachCommitted(runId, from = 0) {
      const run = await requireRun(collections, runId);
      for await (const marker of committedMarkers(collections, run, from, run.committedStep)) {
        yield {
          step: { ...marker, state: 'committed' },
          fingerprint: marker.fingerprint,
          programs: programsOf(marker),
          changeSet: await readChangeSet(texts, marker),
        };
      }
    },
    async supersededSteps(runId) {
      // The markers are read first, so that a step which is committed between the two reads is not taken for rewound.
      const markers = await steps.find({ run: runId });
      const run = await requireRun(collections, runId);
      const isLive = ({ _id, step }: StoredStep): boolean =>
        step <= run.committedStep && _id === liveMarkerId(run, step);
      return markers
        .filter((marker) => marker.state !== 'prepared' && !isLive(marker))
        .map((marker): StepDocument => ({ ...marker, state: 'superseded' }))
        .sort((a, b) => a.generation - b.generation || a.step - b.step);
    },
  };
};
