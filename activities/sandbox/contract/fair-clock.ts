// A wall clock that does not punish a program for what else the machine does. Where it can be seen whether a program
// waits for a core, one that does so gets the time until it has used what it may. Elsewhere the clock runs at the share
// of a core that a busy program gets. A program that sleeps gains nothing in either case.
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import type { Awake } from './confined.ts';

/**
 * The time of day as this process has counted it since it began. A clock that is set meanwhile does not move it, so
 * that no deadline comes an hour too early or too late.
 */
export const steadyNow = (): Date => new Date(performance.timeOrigin + performance.now());

/** However busy the machine is, the time is over after so many times the limit. */
export const MOST_STRETCH = 20;
/**
 * The same where the program's CPU time cannot be read: there a program that starts processes without end could make
 * the machine busy, and so gain time.
 */
export const MOST_STRETCH_UNREAD = 3;
/** A program that used less than this part of its share, while it had something to do, was waiting by itself. */
const AWAKE_SHARE = 0.5;
const TICKS_A_LIMIT = 40;
/** What is stopped for this part of the limit does not go on. It is run two more times, which takes one limit together. */
const STOPPED_PART = 1 / 3;
const [SHORTEST_TICK_MS, LONGEST_TICK_MS] = [25, 1_000];

type Look = {
  readonly elapsedMs: number;
  /** Share of a core that one busy program got since the last look. */
  readonly share: number;
  /** The program waits for something that is not measured: the evaluator, between two calls. */
  readonly waiting: boolean;
  /** It runs or could run if it had a core; null where that cannot be seen. */
  readonly awake: boolean | null;
  /** Null where it cannot be read. */
  readonly cpuMs: () => number | null;
};

/**
 * What says nothing about the program. `starved`: the machine withheld the CPU from a program that wanted it, for so long
 * that no more can be waited. `frozen`: somebody paused its container. `stopped`: a signal stopped it for a part of its time,
 * or at the end, which a program can also do to itself.
 */
export type Fault = 'starved' | 'frozen' | 'stopped';
type Verdict = 'over' | 'starved';

/**
 * Says at each look whether the time is over, and null while it is not. It is pure but for its sums. The share of a
 * core that the number of runnable processes leads to expect is more than a program gets where its control group counts
 * as one process or the machine is itself a guest: programs that had used 17 to 22 of 60 s counted as asleep. So a
 * program that was seen awake at most looks is believed.
 */
export const fairClock = (limitMs: number): ((look: Look) => Verdict | null) => {
  let [before, countedMs, owedMs] = [0, 0, 0];
  let [looks, awakeLooks] = [0, 0];
  const over = (is: boolean): Verdict | null => (is ? 'over' : null);
  return ({ elapsedMs, share, waiting, awake, cpuMs }) => {
    const counted = (elapsedMs - before) * share;
    before = elapsedMs;
    countedMs += counted;
    if (!waiting) owedMs += counted;
    if (!waiting && awake !== null) {
      looks += 1;
      if (awake) awakeLooks += 1;
    }
    if (elapsedMs < limitMs) return null;
    const used = cpuMs();
    const last = elapsedMs >= MOST_STRETCH * limitMs;
    if (used !== null && 2 * awakeLooks > looks) return used >= limitMs ? 'over' : last ? 'starved' : null;
    if (countedMs >= limitMs || last) return 'over';
    if (used === null) return over(elapsedMs >= MOST_STRETCH_UNREAD * limitMs);
    return over(used >= limitMs || used < AWAKE_SHARE * owedMs);
  };
};

/**
 * Number of processes that can run now, without this one, which runs while it asks. Where there is no /proc, the mean
 * of the last minute.
 */
const runnable = (): number => {
  try {
    return Number(readFileSync('/proc/loadavg', 'utf8').split(' ')[3]!.split('/')[0]) - 1;
  } catch {
    return loadavg()[0]!;
  }
};

export const CORES = cpus().length;
export const shareNow = (): number => Math.min(1, CORES / Math.max(1, runnable()));

/** The sum of the values, or null when one of them is not known. */
export const allMs = (values: readonly (number | null)[]): number | null =>
  values.reduce((total, value) => (total === null || value === null ? null : total + value), 0);

type FairTimer = {
  readonly limitMs: number;
  /** CPU used so far, counted from any beginning. */
  readonly cpuMs: () => number | null;
  readonly waiting?: () => boolean;
  readonly awake?: () => Awake;
  /** Time that does not count. */
  readonly pausedMs?: () => number;
  readonly over: (why: 'over' | Fault) => void;
};

/** Calls `over` once when the time is over. The returned function stops the clock. */
export const startFairTimer = ({
  limitMs,
  cpuMs,
  waiting = () => false,
  awake = () => null,
  pausedMs = () => 0,
  over,
}: FairTimer): (() => void) => {
  const look = fairClock(limitMs);
  const startedAt = performance.now();
  /** The value at the first tick, and not at the start: most of what is timed has ended before that tick. */
  let base: number | null | undefined;
  const since = (): number | null => {
    const now = cpuMs();
    return now === null || base === null ? null : now - base!;
  };
  // The engine itself freezes a container for a moment when it changes its limits.
  let wasFrozen = false;
  let stoppedAt = Infinity;
  const timer = setInterval(
    () => {
      if (base === undefined) base = cpuMs();
      const elapsedMs = performance.now() - startedAt - pausedMs();
      const seen = awake();
      const why = look({
        ...{ elapsedMs, share: shareNow(), waiting: waiting(), cpuMs: since },
        awake: typeof seen === 'string' ? false : seen,
      });
      const frozen = wasFrozen && seen === 'frozen';
      wasFrozen = seen === 'frozen';
      stoppedAt = seen === 'stopped' ? Math.min(stoppedAt, elapsedMs) : Infinity;
      const stopped = elapsedMs - stoppedAt >= STOPPED_PART * limitMs || (why === 'over' && seen === 'stopped');
      if (why === null && !frozen && !stopped) return;
      clearInterval(timer);
      over(frozen ? 'frozen' : stopped ? 'stopped' : why!);
    },
    Math.min(LONGEST_TICK_MS, Math.max(SHORTEST_TICK_MS, limitMs / TICKS_A_LIMIT)),
  );
  return () => clearInterval(timer);
};
