// At most so many executions at a time; the first to ask is served first. One that uses several cores counts as so many.
export type Permits = {
  /** At most all permits are taken, however many are asked for. */
  acquire(signal: AbortSignal, count?: number): Promise<() => void>;
};

type Waiting = { readonly count: number; readonly resolve: () => void };

export const createPermits = (all: number): Permits => {
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
    acquire: async (signal, wanted = 1) => {
      signal.throwIfAborted();
      const count = Math.min(wanted, all);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const mine = { count, resolve };
      queue.push(mine);
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
  };
};
