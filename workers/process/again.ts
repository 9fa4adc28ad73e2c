// Work that a process repeats until it is stopped, and what it does when it has nothing to do.
import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setTimeout as sleep } from 'node:timers/promises';

type Repeated = {
  readonly signal: AbortSignal;
  readonly everyMs: number;
  /** Resolves to another time until the next look, or to nothing. */
  readonly look: () => Promise<number | void>;
  readonly log: (words: string) => void;
};

/** A process that had no activity in hand for so long looks so much less often, and gives back memory. */
const QUIET_MS = 10_000;
const LESS = 4;

/** The activities that this process has in hand. */
class Hands {
  #held = 0;
  #lastMs = performance.now();
  readonly #timers: NodeJS.Timeout[] = [];

  /** Does it each time that the process becomes quiet. */
  whenQuiet(work: () => void): void {
    this.#timers.push(setTimeout(() => this.#held === 0 && work(), QUIET_MS).unref());
  }

  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.#held += 1;
    try {
      return await work();
    } finally {
      this.#held -= 1;
      this.#lastMs = performance.now();
      for (const timer of this.#timers) timer.refresh();
    }
  }

  get quiet(): boolean {
    return this.#held === 0 && performance.now() - this.#lastMs > QUIET_MS;
  }
}

export const hands = new Hands();

/** V8 keeps what a run left behind as long as a process does a little now and then. */
export const collectGarbage = (): void => {
  v8.setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NodeJS.GCFunction;
  // Workflows find no such function.
  v8.setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
};

/** Looks again and again until it is stopped. What fails is logged once and tried at the next look. */
export const again = async ({ signal, everyMs, look, log }: Repeated): Promise<void> => {
  for (let logged = ''; !signal.aborted;) {
    let waitMs = everyMs;
    try {
      waitMs = (await look()) ?? everyMs;
      logged = '';
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      if (words !== logged && !signal.aborted) log(words);
      logged = words;
    }
    // When an activity comes, the next look is as near as ever.
    for (let waited = 0; waited < (hands.quiet ? LESS : 1) && !signal.aborted; waited += 1)
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
};

/** Tries until `work` succeeds. What fails is thrown once it is `final`. */
export const insist = async <T>(
  work: () => Promise<T>,
  final: (error: unknown) => boolean,
  everyMs = 500,
): Promise<T> => {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (final(error)) throw error;
      await sleep(everyMs);
    }
  }
};
