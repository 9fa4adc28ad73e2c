// At most so many executions at a time. Of those that wait, the one of the highest priority is served first, and among
// equals the one that asked first: work that a worker took before must not hold up a person's run. One that uses
// several cores counts as so many.
import { Context } from '@temporalio/activity';

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

export class Permits {
  readonly #all: number;
  readonly #priorityOf: () => number;
  readonly #queue: Waiting[] = [];
  #free: number;

  constructor(all: number, priorityOf: () => number = priorityNow) {
    this.#all = all;
    this.#free = all;
    this.#priorityOf = priorityOf;
  }

  /** At most all permits are taken, however many are asked for. */
  async acquire(
    signal: AbortSignal,
    { count: wanted }: { readonly count: number } = { count: 1 },
  ): Promise<() => void> {
    signal.throwIfAborted();
    const count = Math.min(wanted, this.#all);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const mine = { count, priority: this.#priorityOf(), resolve };
    const behind = this.#queue.findLastIndex(({ priority }) => priority <= mine.priority);
    this.#queue.splice(behind + 1, 0, mine);
    this.#serve();
    const leave = (): void => {
      const index = this.#queue.indexOf(mine);
      if (index < 0) return;
      this.#queue.splice(index, 1);
      // Others may have waited behind it for fewer permits.
      this.#serve();
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', leave));
    return this.#once(count);
  }

  /** The numbers of free permits and of executions that wait for theirs. */
  readonly standing = (): { readonly free: number; readonly waiting: number } => ({
    free: this.#free,
    waiting: this.#queue.length,
  });

  #serve(): void {
    for (let next = this.#queue[0]; next !== undefined && next.count <= this.#free; next = this.#queue[0]) {
      this.#queue.shift();
      this.#free -= next.count;
      next.resolve();
    }
  }

  #once(count: number): () => void {
    let done = false;
    return () => {
      if (done) return;
      done = true;
      this.#free += count;
      this.#serve();
    };
  }
}
