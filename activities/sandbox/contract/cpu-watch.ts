// Ends a program when all its processes together have used more CPU time than it may. RLIMIT_CPU holds for each process
// alone, so a program could otherwise compute for longer by sharing its work among children.
import { CORES } from './fair-clock.ts';

const [SHORTEST_LOOK_MS, LONGEST_LOOK_MS] = [20, 250];

type CpuWatch = {
  readonly limitMs: number;
  /** CPU that the whole tree has used so far, the dead included, in milliseconds. Null where it cannot be read. */
  readonly cpuMs: () => number | null;
  /** Awaited before each reading. */
  readonly sample?: (() => Promise<void>) | undefined;
  readonly over: () => void;
};

/**
 * Calls `over` once, soon after the limit is passed. It looks more often the sooner that could be. The returned
 * function ends the watch.
 */
export const startCpuWatch = ({ limitMs, cpuMs, sample, over }: CpuWatch): (() => void) => {
  let timer: NodeJS.Timeout;
  let stopped = false;
  const look = async (): Promise<void> => {
    await sample?.();
    if (stopped) return;
    const used = cpuMs();
    if (used !== null && used > limitMs) return over();
    const soonest = (limitMs - (used ?? 0)) / CORES;
    wait(Math.min(LONGEST_LOOK_MS, Math.max(SHORTEST_LOOK_MS, soonest)));
  };
  const wait = (ms: number): void => {
    timer = setTimeout(() => void look(), ms);
  };
  wait(SHORTEST_LOOK_MS);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
};
