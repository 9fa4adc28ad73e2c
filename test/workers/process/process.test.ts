// A worker process ends where one of its workers fails, so that whoever started it starts it again: also one that was
// begun later, for a queue that a run has come to need.
import type { Worker } from '@temporalio/worker';
import { afterEach, expect, it, vi } from 'vitest';
import { runUntilStopped } from '../../../workers/process/process.ts';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
const listening = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));

afterEach(() => {
  vi.restoreAllMocks();
  for (const [signal, before] of listening)
    for (const listener of process.listeners(signal))
      if (!before.includes(listener)) process.removeListener(signal, listener);
});

/** A worker that runs until it is told to fail. */
const workerOf = (taskQueue: string) => {
  const { promise, reject } = Promise.withResolvers<void>();
  const worker = { run: () => promise, getState: () => 'RUNNING', shutdown: () => undefined, options: { taskQueue } };
  return { worker: worker as unknown as Worker, fail: () => reject(new Error(`polling ${taskQueue} was refused`)) };
};

it('a worker that was added later and fails ends the process', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  const [first, later] = [workerOf('evolve-eval'), workerOf('evolve-eval-fast')];
  void runUntilStopped({
    workers: [first.worker],
    grace: 1,
    started: (add) => void setTimeout(() => add(later.worker), 20),
    close: async () => undefined,
  });
  setTimeout(later.fail, 60);
  await vi.waitFor(() => expect(exit.mock.calls).toEqual([[1]]), { timeout: 2_000 });
  expect(said.mock.calls.flat().map(String)).toContainEqual(expect.stringContaining('polling evolve-eval-fast'));
});
