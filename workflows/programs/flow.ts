// Concurrent work flows in two ways. Batches gather items that arrive singly: what arrives while batches are under way
// travels together in the next one. There is no barrier; the first item starts at once, and the batches grow only as
// fast as items come in. A window bounds how many tasks are in flight.
import { condition } from '@temporalio/workflow';

/** Resolves when all that the messages at hand began has come to wait for something. */
export const settled = (): Promise<void> => {
  let looks = 0;
  return condition(() => (looks += 1) > 1);
};

type GatherOptions<T> = {
  /** The largest batch. */
  readonly size: number;
  /** The number of batches under way at once. */
  readonly inFlight: number;
  readonly work: (batch: readonly T[]) => Promise<void>;
  /** Items of all messages at hand travel together, and not the first of them alone. */
  readonly settles?: boolean;
};

export class Gather<T> {
  private readonly queue: T[] = [];
  private running = 0;
  private settling = false;
  private failure: { readonly error: unknown } | null = null;
  private readonly options: GatherOptions<T>;

  constructor(options: GatherOptions<T>) {
    this.options = options;
  }

  add(items: readonly T[]): void {
    this.queue.push(...items);
    if (this.options.settles !== true) this.startAll();
    else if (!this.settling && this.queue.length > 0) void this.startSettled();
  }

  private async startSettled(): Promise<void> {
    this.settling = true;
    try {
      await settled();
    } catch (error) {
      this.failure ??= { error };
    } finally {
      this.settling = false;
    }
    this.startAll();
  }

  private startAll(): void {
    while (this.queue.length > 0 && this.running < this.options.inFlight && this.failure === null)
      void this.start(this.queue.splice(0, this.options.size));
  }

  get idle(): boolean {
    return this.queue.length === 0 && this.running === 0;
  }

  /** Resolves when `settled` holds and nothing is left; rejects with the first failure of a batch. */
  async drained(settled: () => boolean): Promise<void> {
    await condition(() => this.failure !== null || (settled() && this.idle));
    if (this.failure !== null) throw this.failure.error;
  }

  private async start(batch: readonly T[]): Promise<void> {
    this.running += 1;
    try {
      await this.options.work(batch);
    } catch (error) {
      this.failure ??= { error };
    } finally {
      this.running -= 1;
      this.add([]);
    }
  }
}

/** A window over concurrent work: at most `size` tasks are in flight, and the rest wait in order. */
export class Window {
  private inFlight = 0;
  private size: number;
  constructor(size: number) {
    this.size = size;
  }

  widen(size: number): void {
    this.size = size;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.inFlight >= this.size) await condition(() => this.inFlight < this.size);
    this.inFlight += 1;
    try {
      return await work();
    } finally {
      this.inFlight -= 1;
    }
  }
}
