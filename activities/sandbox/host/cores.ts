// The cores of an evaluation host, given out once over all levels of isolation. A program also waits while the machine
// has less free memory than such programs take, because a machine without memory kills whatever it likes.
import { setTimeout as sleep } from 'node:timers/promises';
import { Permits } from './permits.ts';

export type Wanted = { readonly cores: number; readonly memoryBytes: number };

type Machine = {
  readonly cores: number;
  /** Free memory of the machine on which programs run; null where it is not known. */
  readonly freeBytes?: () => number | null;
  readonly priorityOf?: () => number;
};

const LOOK_MS = 250;

export class Cores {
  /** Programs that run at once, where each uses one core. */
  readonly all: number;
  /** The numbers of free cores and of programs that wait for some. */
  readonly standing: Permits['standing'];
  readonly #permits: Permits;
  readonly #freeBytes: () => number | null;
  /** A timed program is pinned to the core of its permit. */
  readonly #numbers: number[];
  readonly #listeners: (() => void)[] = [];
  /** The most memory that programs with a limit took so far. */
  readonly #peaks = new Map<number, number>();
  #waiting = 0;
  #running = 0;

  constructor({ cores, freeBytes = () => null, priorityOf }: Machine) {
    this.all = cores;
    this.#freeBytes = freeBytes;
    this.#permits = new Permits(cores, priorityOf);
    this.standing = this.#permits.standing;
    this.#numbers = Array.from({ length: cores }, (_, core) => core);
  }

  /** Programs that wait for cores or memory. */
  waiting(): number {
    return this.#waiting;
  }

  /** Runs `use` with the number of a core of its own. `use` says how much memory the program had at most. */
  async given<T extends { readonly peakBytes: number | null }>(
    { cores, memoryBytes }: Wanted,
    signal: AbortSignal,
    use: (core: number) => Promise<T>,
  ): Promise<T> {
    const release = await this.#obtained(cores, memoryBytes, signal);
    const core = this.#numbers.shift()!;
    try {
      const result = await use(core);
      // Where nobody can say how much it was, no other program waits for it.
      this.#peaks.set(memoryBytes, Math.max(result.peakBytes ?? 0, this.#peaks.get(memoryBytes) ?? 0));
      return result;
    } finally {
      this.#numbers.push(core);
      this.#running -= 1;
      release();
    }
  }

  /** `listener` is called when fewer programs wait than before. */
  onFewer(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async #obtained(cores: number, memoryBytes: number, signal: AbortSignal): Promise<() => void> {
    this.#waiting += 1;
    let release: (() => void) | undefined;
    try {
      release = await this.#permits.acquire(signal, { count: cores });
      // Whoever is next waits with its cores in hand, so that small programs never keep a large one out.
      while (this.#mustWait(memoryBytes)) await sleep(LOOK_MS, undefined, { signal });
      this.#running += 1;
      return release;
    } catch (error) {
      release?.();
      throw error;
    } finally {
      this.#waiting -= 1;
      for (const listener of this.#listeners) listener();
    }
  }

  /** One program always runs, since memory that others hold may never become free. */
  #mustWait(limit: number): boolean {
    const free = this.#running === 0 ? null : this.#freeBytes();
    return free !== null && free < (this.#peaks.get(limit) ?? limit);
  }
}
