// At most so many executions at a time; the first to ask is served first.
export type Permits = { acquire(signal: AbortSignal): Promise<() => void> };

export const createPermits = (count: number): Permits => {
  let free = count;
  const queue: (() => void)[] = [];
  const release = (): void => {
    const next = queue.shift();
    if (next) next();
    else free += 1;
  };
  const once = (): (() => void) => {
    let done = false;
    return () => {
      if (!done) {
        done = true;
        release();
      }
    };
  };
  return {
    acquire: async (signal) => {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return once();
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      queue.push(resolve);
      const leave = (): void => {
        const index = queue.indexOf(resolve);
        if (index < 0) return;
        queue.splice(index, 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      await promise.finally(() => signal.removeEventListener('abort', leave));
      return once();
    },
  };
};
