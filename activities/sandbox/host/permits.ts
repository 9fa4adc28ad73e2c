// At most so many executions at a time. Of those that wait, the one of the highest priority is served first, and among
// equals the one that asked first: work that a worker took before must not hold up a person's run. One that uses
// several cores counts as so many.
import { Context } from '@temporalio/activity';

export type Permits = {
  /** At most all permits are taken, however many are asked for. */
  acquire(signal: AbortSignal, wanted?: { readonly count: number }): Promise<() => void>;
  /** The numbers of free permits and of executions that wait for theirs. */
  standing(): { readonly free: number; readonly waiting: number };
};

type Waiting = { readonly count: number; readonly priority: number; readonly resolve: () => void };

/** The engine's default: the middle of its five priorities. */
const USUAL_PRIORITY = 3;

/** The priority of the activity that asks; outside of activities the usual one. A lower number goes first. */
const priorityNow = (): number => {
  try {
    return Context.current().info.priority?.priorityKey ?? USUAL_PRIORITY;
  } catch {
    return USUAL_PRIORITY;
  }
};

export const createPermits = (all: number, priorityOf: () => number = priorityNow): Permits => {
  let free = all;
  const queue: Waiting[] = [];
  const serve = (): void => {
    for (let next = queue[0]; next !== undefined && next.count <= free; next = queue[0]) {
      queue.shift();
      free -= next.count;
      next.resolve();
    }
  };
  const once = (count: number): (() => void) => {
    let done = false;
    return () => {
      if (done) return;
      done = true;
      free += count;
      serve();
    };
  };
  return {
    acquire: async (signal, { count: wanted } = { count: 1 }) => {
      signal.throwIfAborted();
      const count = Math.min(wanted, all);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const mine = { count, priority: priorityOf(), resolve };
      const behind = queue.findLastIndex(({ priority }) => priority <= mine.priority);
      queue.splice(behind + 1, 0, mine);
      serve();
      const leave = (): void => {
        const index = queue.indexOf(mine);
        if (index < 0) return;
        queue.splice(index, 1);
        // Others may have waited behind it for fewer permits.
        serve();
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      await promise.finally(() => signal.removeEventListener('abort', leave));
      return once(count);
    },
    standing: () => ({ free, waiting: queue.length }),
  };
};
