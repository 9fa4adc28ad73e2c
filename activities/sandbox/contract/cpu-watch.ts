// Ends a program when all its processes together have used more CPU time than it may. RLIMIT_CPU holds for each process
// alone, so a program could otherwise compute for longer by sharing its work among children.
import { CORES } from './fair-clock.ts';

const [SHORTEST_LOOK_MS, LONGEST_LOOK_MS] = [20, 250];

type CpuWatch = {
  readonly limitMs: number;
  /** CPU that the whole tree has used so far, the dead included, in milliseconds. Null where it cannot be read. */
  readonly cpuMs: () => number | null;
  readonly over: () => void;
};

/**
 * Calls `over` once, soon after the limit is passed. It looks more often the sooner that could be. The returned
 * function ends the watch.
 */
export const startCpuWatch = ({ limitMs, cpuMs, over }: CpuWatch): (() => void) => {
  let timer: NodeJS.Timeout;
  const look = (): void => {
    const used = cpuMs();
    if (used !== null && used > limitMs) return over();
    const soonest = (limitMs - (used ?? 0)) / CORES;
    timer = setTimeout(look, Math.min(LONGEST_LOOK_MS, Math.max(SHORTEST_LOOK_MS, soonest)));
  };
  timer = setTimeout(look, SHORTEST_LOOK_MS);
  return () => clearTimeout(timer);
};
