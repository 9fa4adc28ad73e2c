// The cores of an evaluation host, given out once over all levels of isolation. A program also waits while the machine
// has less free memory than such programs take, because a machine without memory kills whatever it likes.
import { setTimeout as sleep } from 'node:timers/promises';
import { Permits } from './permits.ts';

export type Wanted = { readonly cores: number; readonly memoryBytes: number };

export type Cores = {
  /** Programs that run at once, where each uses one core. */
  readonly all: number;
  /** Programs that wait for cores or memory. */
  waiting(): number;
  /** The numbers of free cores and of programs that wait for some. */
  readonly standing: Permits['standing'];
  /** Runs `use` with the number of a core of its own. `use` says how much memory the program had at most. */
  given<T extends { readonly peakBytes: number | null }>(
    wanted: Wanted,
    signal: AbortSignal,
    use: (core: number) => Promise<T>,
  ): Promise<T>;
  /** Is called when fewer programs wait than before. */
  onFewer(listener: () => void): void;
};

type Machine = {
  readonly cores: number;
  /** Free memory of the machine on which programs run; null where it is not known. */
  readonly freeBytes?: () => number | null;
  readonly priorityOf?: () => number;
};

const LOOK_MS = 250;

export const createCores = ({ cores: all, freeBytes = () => null, priorityOf }: Machine): Cores => {
  const permits = new Permits(all, priorityOf);
  /** A timed program is pinned to the core of its permit. */
  const numbers = Array.from({ length: all }, (_, core) => core);
  const listeners: (() => void)[] = [];
  /** The most that programs with a limit took so far. */
  const peaks = new Map<number, number>();
  let waiting = 0;
  let running = 0;

  const expected = (limit: number): number => peaks.get(limit) ?? limit;
  /** One program always runs, since memory that others hold may never become free. */
  const mustWait = (limit: number): boolean => {
    const free = running === 0 ? null : freeBytes();
    return free !== null && free < expected(limit);
  };
  const notWaiting = (): void => {
    waiting -= 1;
    for (const listener of listeners) listener();
  };

  return {
    all,
    waiting: () => waiting,
    standing: permits.standing,
    async given({ cores, memoryBytes }, signal, use) {
      waiting += 1;
      let release: (() => void) | undefined;
      try {
        release = await permits.acquire(signal, { count: cores });
        // Whoever is next waits with its cores in hand, so that small programs never keep a large one out.
        while (mustWait(memoryBytes)) await sleep(LOOK_MS, undefined, { signal });
      } catch (error) {
        release?.();
        throw error;
      } finally {
        notWaiting();
      }
      running += 1;
      const core = numbers.shift()!;
      try {
        const result = await use(core);
        // Where nobody can say how much it was, no other program waits for it.
        peaks.set(memoryBytes, Math.max(result.peakBytes ?? 0, peaks.get(memoryBytes) ?? 0));
        return result;
      } finally {
        numbers.push(core);
        running -= 1;
        release();
      }
    },
    onFewer(listener) {
      listeners.push(listener);
    },
  };
};
