// The open step of a run, in which nothing is committed yet, and how its work is told. All functions are pure.
import type { InStep } from '../../../workflows/messages/messages.ts';

/** An activity that is under way or waits for a worker. */
export type Work = {
  readonly activity: string;
  /** A worker has it. */
  readonly isStarted: boolean;
  /** When it was started or, where no worker has it, asked for. */
  readonly sinceMs: number | null;
  /** Counts from 1. */
  readonly attempt: number;
  /** The most attempts; null where there is no most. */
  readonly attempts: number | null;
  /** Why the attempt before failed. */
  readonly failure: string | null;
};

/** GET runs/<run>/open-step: null where no step is open. */
export type OpenStep = {
  /** In a stream or a window of islands, the first step of the newest window. */
  readonly step: number;
  readonly sinceMs: number | null;
  /** Null where its workflow does not answer. */
  readonly counts: InStep | null;
  /** The longest first. */
  readonly work: readonly Work[];
  readonly atMs: number;
};

const NAMES: { readonly [activity: string]: string } = {
  generate: 'asking the model',
  ask: 'asking the model beside programs',
  generateBatch: 'asking the model in a batch',
  embed: 'asking for embeddings',
  applyResponses: 'applying edits',
  evaluate: 'evaluating',
  commitStep: 'committing',
  planStep: 'choosing parents',
};

export type Group = {
  readonly name: string;
  /** Milliseconds since each began, the longest first. */
  readonly sinceMs: readonly number[];
  readonly waiting: number;
  /** The one that was tried most, where any has failed. */
  readonly failing: Work | null;
};

/** Activities of one kind together, in the order in which the first of each began. */
export const groupsOf = (work: readonly Work[]): readonly Group[] =>
  [...Map.groupBy(work, ({ activity }) => activity)].map(([activity, all]) => ({
    name: NAMES[activity] ?? activity,
    sinceMs: all.flatMap(({ isStarted, sinceMs }) => (isStarted && sinceMs !== null ? [sinceMs] : [])),
    waiting: all.filter(({ isStarted }) => !isStarted).length,
    failing: all
      .filter(({ failure }) => failure !== null)
      .reduce<Work | null>((most, one) => (most === null || one.attempt > most.attempt ? one : most), null),
  }));
