// The queues that an evaluation host asks for work: those that open runs need and that it can serve. A queue that no
// open run has needed for some time is left, so that tasks that are gone cost the server nothing, and is taken up again
// when a run needs it.
import type { Worker } from '@temporalio/worker';

/** A queue is left when no open run has needed it so long: what an ended run leaves behind is done by then. */
const UNNEEDED_MS = 60_000;

type Polling = Pick<Worker, 'getState' | 'shutdown'>;
const asks = (worker: Polling): boolean => ['INITIALIZED', 'RUNNING'].includes(worker.getState());

type Options<W extends Polling> = {
  /** Is asked for work as long as the process lives. */
  readonly always: readonly string[];
  /** Queues that open runs need, and of these the ones that this host can serve. */
  readonly needed: () => Promise<readonly string[]>;
  readonly workerFor: (queue: string) => Promise<W>;
  /** Milliseconds of a clock that never jumps. */
  readonly now?: () => number;
};

export const followQueues = <W extends Polling>({
  always,
  needed,
  workerFor,
  now = () => performance.now(),
}: Options<W>): {
  /**
   * Gives the workers that are new; one that could not be made, because the server was away, is tried at the next look.
   */
  look(): Promise<readonly PromiseSettledResult<W>[]>;
} => {
  const followed = new Map<string, { readonly worker: W; neededAtMs: number }>();
  const making = new Set<string>();
  const leave = (): void => {
    for (const [queue, { worker, neededAtMs }] of followed) {
      if (now() - neededAtMs < UNNEEDED_MS) continue;
      // There are not two workers of a queue at once, so one that drains is kept until it has ended.
      if (worker.getState() === 'RUNNING') worker.shutdown();
      if (worker.getState() === 'STOPPED') followed.delete(queue);
    }
  };
  return {
    async look() {
      const queues = [...always, ...(await needed())];
      for (const queue of queues) {
        const one = followed.get(queue);
        if (one !== undefined && asks(one.worker)) one.neededAtMs = now();
      }
      leave();
      const fresh = queues.filter((queue) => !followed.has(queue) && !making.has(queue));
      for (const queue of fresh) making.add(queue);
      const workers = await Promise.allSettled(fresh.map(workerFor));
      for (const [at, one] of workers.entries()) {
        making.delete(fresh[at]!);
        if (one.status === 'fulfilled') followed.set(fresh[at]!, { worker: one.value, neededAtMs: now() });
      }
      return workers;
    },
  };
};
