// The part of the store that opens and reads the steps of a run, forks it, and keeps what people inject and what was
// sent.
import type { Paid } from '../../../evolution/budget/money.ts';
import type { RunId } from '../../../evolution/types.ts';
import type { Texts } from '../content/texts.ts';
import type {
  InjectionDocument,
  NewFork,
  RunDocument,
  StepDocument,
  TaskOfRun,
  UnansweredSum,
} from '../documents/documents.ts';
import { type ReadConfig, requireRun } from '../documents/run-documents.ts';
import type { BookedStage, BookingDocument, Unanswered } from '../documents/step-documents.ts';
import type { Collections } from '../documents/stored.ts';
import { book, bookingsFor, keepBooking, owed, paidNow, settleBookings, unanswered } from './bookings.ts';
import { openStep, resample } from './fence.ts';
import { createFork } from './fork.ts';
import { inject, injectedSteps, takeInjections } from './injections.ts';
import { epochAt } from './paid.ts';
import {
  committedAt,
  type CommittedPrograms,
  type CommittedStep,
  eachCommitted,
  eachStep,
  eachStepPrograms,
  type NewestMarker,
  readStep,
  supersededSteps,
} from './read-steps.ts';

export interface StepStore {
  /** The fence. Returns the generation that writes of this opening carry; the same owner gets the same answer again. */
  openStep(run: RunId, step: number, owner: string): Promise<number>;
  readStep(run: RunId, step: number, generation: number): Promise<StepDocument | null>;
  /** When the step of the run as it is now was committed; null where it is not. */
  committedAt(run: RunId | RunDocument, step: number): Promise<Date | null>;
  /**
   * The committed steps from `from` on (0 when left out), in order. `run` is the run that made the step. For a fork's
   * first steps it is the other run, and `configVersion` then counts that run's settings.
   */
  eachStep(run: RunId | RunDocument, from?: number): AsyncIterable<StepDocument>;
  /** The same steps, each with what it did to the population. */
  eachCommitted(run: RunId, from?: number): AsyncIterable<CommittedStep>;
  /** The ids of what the same steps made, with nothing read but their markers. */
  eachStepPrograms(run: RunId | RunDocument, from?: number): AsyncIterable<CommittedPrograms>;
  /** Steps that were rewound, oldest generation first, then by step. They stay readable; it is a scan. */
  supersededSteps(run: RunId): Promise<readonly StepDocument[]>;
  /** The epoch under which a step asks for responses. */
  epochOf(run: RunId, step: number): Promise<number>;
  /**
   * From this step on, responses are asked for afresh: it raises the epoch and sets the paid responses of an
   * uncommitted step aside. An attempt at the step that is under way is fenced off, and its owner opens it again. The
   * same `by` again changes nothing. Returns the epoch. Throws RangeError when the step is committed, because it has to
   * be rewound first. With `task`, in the same write, the run has another task from here on: where nothing that it has
   * was scored by the one before.
   */
  resample(run: RunId, step: number, by: string, task?: TaskOfRun): Promise<number>;
  /**
   * Insert-or-get of a run that begins with steps 0 to `step` of another, as that one has them now. When the other run
   * is rewound, resampled or continued later, nothing changes here. Throws when `step` is not committed there.
   */
  createFork(fork: NewFork): Promise<{ readonly created: boolean; readonly run: RunDocument }>;

  // programs that people inject
  /** Insert-or-get. */
  inject(injection: InjectionDocument): Promise<InjectionDocument>;
  /**
   * The injected programs of a step, in their places: those that it took before, and those that still wait, which get
   * places now.
   */
  takeInjections(run: RunId, step: number): Promise<readonly InjectionDocument[]>;
  /** The steps that took programs; only their plans take them, so each is the first of its window or stream. */
  injectedSteps(run: RunId): Promise<ReadonlySet<number>>;

  // requests that left (bookings.ts)
  /** Returns false, with nothing changed, where this sending is booked already. */
  book(booking: BookingDocument): Promise<boolean>;
  /** The bookings for one answer, in the order of sending. */
  bookingsFor(stage: BookedStage, answer: string): Promise<readonly BookingDocument[]>;
  /** The request cost nothing, or its answer is stored and says what it cost. */
  settleBookings(ids: readonly string[]): Promise<void>;
  /** The request has no answer that counts, and is paid for as the document says. */
  keepBooking(booking: BookingDocument): Promise<void>;
  /** The requests of the run that got no answer which counts. */
  unanswered(run: RunId, now?: Date): Promise<Unanswered>;
  /** The sums of `unanswered` alone, which cost less. */
  owed(run: RunId, now?: Date): Promise<UnansweredSum>;
  /**
   * Everything that the run has paid for by now: committed steps, what was set aside, what is stored for steps under
   * way, and requests without an answer.
   */
  paidNow(run: RunId, now?: Date): Promise<Paid>;
}

export const stepStore = (
  collections: Collections,
  texts: Texts,
  cache: NewestMarker,
  readConfig: ReadConfig,
): StepStore => ({
  openStep: (run, step, owner) => openStep(collections, readConfig, run, step, owner),
  readStep: (run, step, generation) => readStep(collections, run, step, generation),
  committedAt: (run, step) => committedAt({ collections, cache }, run, step),
  eachStep: (run, from = 0) => eachStep({ collections, cache }, run, from),
  eachStepPrograms: (run, from = 0) => eachStepPrograms(collections, run, from),
  eachCommitted: (run, from = 0) => eachCommitted(collections, texts, run, from),
  supersededSteps: (run) => supersededSteps(collections, run),
  epochOf: async (run, step) => epochAt((await requireRun(collections, run)).epochs, step),
  resample: (run, step, by, task) => resample(collections, readConfig, { run, step, by, task }),
  createFork: (fork) => createFork(collections, fork),

  inject: (injection) => inject(collections, injection),
  takeInjections: (run, step) => takeInjections(collections, run, step),
  injectedSteps: (run) => injectedSteps(collections, run),

  book: (booking) => book(collections, booking),
  bookingsFor: (stage, answer) => bookingsFor(collections, stage, answer),
  settleBookings: (ids) => settleBookings(collections, ids),
  keepBooking: (booking) => keepBooking(collections, booking),
  unanswered: (run, now = new Date()) => unanswered(collections, run, now),
  owed: (run, now = new Date()) => owed(collections, run, now),
  paidNow: (run, now = new Date()) => paidNow(collections, readConfig, run, now),
});
