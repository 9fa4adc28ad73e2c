// What a command works with: the store, the library, or one run. It is closed afterwards.
import { withUnanswered } from '../../activities/store/steps/bookings.ts';
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { openParts, openStore } from '../../client/connect/connection.ts';
import type { DurableEvolve } from '../../client/durable-evolve.ts';
import type { RunHandle } from '../../client/runs/run-handle.ts';
import { findRun } from '../../client/read/run-id.ts';
import { asTheyStand } from '../../client/temporal/run-state.ts';
import { unopenedRun } from '../../client/temporal/unopened.ts';
import { progressOf } from '../../client/temporal/workflow.ts';
import { note } from '../terminal/output.ts';
import type { Context } from './command.ts';

export const withStore = async <T>(context: Context, work: (store: Store) => Promise<T>): Promise<T> => {
  const store = await openStore(context);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
};

/** The named run as it is stored, for commands that only read. */
export const withStoredRun = async <T>(
  context: Context,
  id: string,
  work: (run: RunDocument, store: Store) => Promise<T>,
): Promise<T> => withStore(context, async (store) => work(await findRun(store, id), store));

/** A worker that is busy or away must not hold up a command that only shows. */
const LIVE_MS = 3_000;

/** Opens the store and gives documents the present state of their runs, for commands that show states. */
export const withStates = async <T>(
  context: Context,
  work: (
    store: Store,
    stand: (documents: readonly RunDocument[]) => Promise<readonly RunDocument[]>,
    /** The run where only the workflow engine knows it, else null. */
    unopened: (id: string) => ReturnType<typeof unopenedRun>,
    /** What the workflow of an open run says of itself and of its open step; null where it does not answer soon. */
    live: (run: string) => Promise<Awaited<ReturnType<typeof progressOf>> | null>,
  ) => Promise<T>,
): Promise<T> => {
  const parts = openParts(context);
  try {
    const store = await parts.store();
    return await work(
      store,
      async (documents) => asTheyStand(parts, await withUnanswered(store, documents), (text) => note(`note: ${text}`)),
      (id) =>
        parts
          .engineSoon()
          .then((engine) => unopenedRun(engine, id))
          .catch(() => null),
      (run) =>
        parts
          .engineSoon()
          .then((engine) => progressOf(engine, run, LIVE_MS))
          .catch(() => null),
    );
  } finally {
    await parts.close();
  }
};

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
