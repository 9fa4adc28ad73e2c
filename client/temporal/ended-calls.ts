// Calls to the workflow engine that end with a signal. The library's client adds a listener to the signal for each call
// and never removes it (connection.ts of @temporalio/client, generateRPCImplementation), so under a signal of the whole
// process every call with its answer would stay in memory.
import type { Connection } from '@temporalio/client';

/** Calls within `work` are given up when `signal` is aborted. Nothing of them is kept by `signal`. */
export const endedBy = async <T>(
  connection: Pick<Connection, 'withAbortSignal'>,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> => {
  const own = new AbortController();
  const end = (): void => own.abort(signal.reason);
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  try {
    return await connection.withAbortSignal(own.signal, work);
  } finally {
    signal.removeEventListener('abort', end);
  }
};
