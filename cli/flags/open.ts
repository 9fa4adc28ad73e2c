// The store, the library or one run, opened for a command and closed after it.
import { withUnanswered } from '../../activities/store/steps/bookings.ts';
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { type Engine, withParts, withStore } from '../../client/connect/connection.ts';
import type { DurableEvolve } from '../../client/durable-evolve.ts';
import type { RunHandle } from '../../client/runs/run-handle.ts';
import { findRun } from '../../client/read/run-id.ts';
import { withUncommitted } from '../../client/read/uncommitted.ts';
import { asTheyStand } from '../../client/temporal/run-state.ts';
import { unopenedRun } from '../../client/temporal/unopened.ts';
import { progressOf } from '../../client/temporal/workflow.ts';
import { note } from '../terminal/output.ts';
import { act, type Context } from './command.ts';

/** The named run as it is stored, for commands that only read. */
export const withStoredRun = async <T>(
  context: Context,
  id: string,
  work: (run: RunDocument, store: Store) => Promise<T>,
): Promise<T> => withStore(context, async (store) => work(await findRun(store, id), store));

/** A worker that is busy or away must not hold up a command that only shows. */
const LIVE_MS = 3_000;

/** The present states of runs, for commands that show them. */
type Present = {
  readonly stand: (documents: readonly RunDocument[]) => Promise<readonly RunDocument[]>;
  /** The run where only the workflow engine knows it, else null. */
  readonly unopened: (id: string) => ReturnType<typeof unopenedRun>;
  /** The own word of an open run's workflow, and the counters of its open step; null where it does not answer soon. */
  readonly live: (run: string) => Promise<Awaited<ReturnType<typeof progressOf>> | null>;
};

export const withStates = <T>(context: Context, work: (store: Store, present: Present) => Promise<T>): Promise<T> =>
  withParts(context, async (parts) => {
    const store = await parts.store();
    const asked = <A>(ask: (engine: Engine) => Promise<A>): Promise<A | null> =>
      parts
        .engineSoon()
        .then(ask)
        .catch(() => null);
    return work(store, {
      stand: async (documents) =>
        withUncommitted(
          store,
          await asTheyStand(parts, await withUnanswered(store, documents), (text) => note(`note: ${text}`)),
        ),
      unopened: (id) => asked((engine) => unopenedRun(engine, id)),
      live: (run) => asked((engine) => progressOf(engine, run, LIVE_MS)),
    });
  });

export const withEvolve = async <T>(context: Context, work: (evolve: DurableEvolve) => Promise<T>): Promise<T> => {
  // Is loaded here, so that commands that only read the store start faster.
  const { DurableEvolve } = await import('../../client/durable-evolve.ts');
  const evolve = new DurableEvolve(context, (text) => note(`note: ${text}`));
  try {
    return await work(evolve);
  } finally {
    await evolve.close();
  }
};

/** The named run, to be steered. */
export const withRun = async <T>(context: Context, id: string, work: (run: RunHandle) => Promise<T>): Promise<T> =>
  withEvolve(context, async (evolve) => work(await evolve.run(id)));

type Done = Promise<number | void>;

/** The action of a command that reads the store. */
export const onStore = <O, A extends readonly unknown[]>(
  work: (context: Context, options: O, store: Store, ...words: A) => Done,
) => act((context, options: O, ...words: A) => withStore(context, (store) => work(context, options, store, ...words)));

/** The action of a command on the library. */
export const onEvolve = <O, A extends readonly unknown[]>(
  work: (context: Context, options: O, evolve: DurableEvolve, ...words: A) => Done,
) =>
  act((context, options: O, ...words: A) => withEvolve(context, (evolve) => work(context, options, evolve, ...words)));

/** The action of a command that reads the run of its first argument, as it is stored. */
export const onStoredRun = <O>(work: (context: Context, options: O, run: RunDocument, store: Store) => Done) =>
  act((context, options: O, id: string) =>
    withStoredRun(context, id, (run, store) => work(context, options, run, store)),
  );

/** The action of a command on the run of its first argument. */
export const onRun = <O>(work: (context: Context, options: O, run: RunHandle) => Done) =>
  act((context, options: O, id: string) => withRun(context, id, (run) => work(context, options, run)));
