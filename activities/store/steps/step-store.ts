// The part of the store that opens and reads the steps of a run, forks it, and keeps what people did and injected, and what
// was sent.
import type { RunId } from '../../../evolution/types.ts';
import type { Texts } from '../content/texts.ts';
import type { NewFork, RunDocument, TaskOfRun } from '../documents/documents.ts';
import { asRead, type ReadConfig, requireRun } from '../documents/run-documents.ts';
import type { Collections } from '../documents/stored.ts';
import { actionStore, type ActionStore } from './actions.ts';
import { bookingStore, type BookingStore } from './bookings.ts';
import { openStep, resample } from './fence.ts';
import { createFork } from './fork.ts';
import { injectionStore, type InjectionStore } from './injections.ts';
import { epochAt } from './paid.ts';
import { rescoringStore, type RescoringStore } from './rescore.ts';
import { stepsUnderWay, type UnderWay } from './set-aside.ts';
import { type NewestMarker, stepReading, type StepReading } from './read-steps.ts';

export interface StepStore extends StepReading, ActionStore, InjectionStore, BookingStore, RescoringStore {
  /** The fence. Returns the generation that writes of this opening carry; the same owner gets the same answer again. */
  openStep(run: RunId, step: number, owner: string): Promise<number>;
  /** The epoch under which a step asks for responses. */
  epochOf(run: RunId, step: number): Promise<number>;
  /** The steps that are planned and not committed, in their order. */
  underWay(run: RunId | RunDocument): Promise<readonly UnderWay[]>;
  /**
   * From this step on, responses are asked for afresh, once for a `by`: the epoch rises, which it returns, and the paid
   * responses of an uncommitted step are set aside. An attempt that is under way is fenced off, and its owner opens the
   * step again. Throws RangeError for a committed step. With `task` the run has another task from here on, where no
   * score of the one before is left.
   */
  resample(run: RunId, step: number, by: string, task?: TaskOfRun): Promise<number>;
  /**
   * Insert-or-get of a run that begins with steps 0 to `step` of another, whatever that one does later. Throws when
   * `step` is not committed there.
   */
  createFork(fork: NewFork): Promise<{ readonly created: boolean; readonly run: RunDocument }>;
}

export const stepStore = (
  collections: Collections,
  texts: Texts,
  cache: NewestMarker,
  readConfig: ReadConfig,
): StepStore => ({
  openStep: (run, step, owner) => openStep(collections, readConfig, run, step, owner),
  epochOf: async (run, step) => epochAt((await requireRun(collections, run)).epochs, step),
  underWay: async (run) => stepsUnderWay(collections, readConfig, await asRead(collections, run)),
  resample: (run, step, by, fields) => resample(collections, readConfig, { run, step, by, fields }),
  createFork: (fork) => createFork(collections, fork),
  ...stepReading(collections, texts, cache),
  ...actionStore(collections),
  ...injectionStore(collections),
  ...bookingStore(collections, readConfig),
  ...rescoringStore(collections, readConfig),
});
