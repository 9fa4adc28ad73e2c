// The patience with a server of a command that only shows something.
import { cpus, loadavg } from 'node:os';

const SOON_MS = 4_000;
const LONGEST_MS = 20_000;

/** Seconds, and more where processes wait for a core: a server that answers late there is no server that is away. */
export const soonMs = (): number => {
  const waiting = (loadavg()[0] ?? 0) / Math.max(1, cpus().length);
  return Math.min(LONGEST_MS, Math.round(SOON_MS * Math.max(1, waiting)));
};
