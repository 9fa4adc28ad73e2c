// A setup file of every test file: tells the reporter how much CPU the file took, in its own process and in the
// children that it waited for. A stack that `evolve up` leaves behind and containers are nobody's children.
import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';
import { parseStat } from '../bench/processes.ts';

declare module 'vitest' {
  interface TaskMeta {
    cpuSeconds?: number;
  }
}

// Without isolation a process runs many files, and this module is loaded again for each.
const shared = globalThis as { cpuBefore?: number };

// Vitest reads the names of fixtures out of the first parameter: there must be braces.
// oxlint-disable-next-line no-empty-pattern
afterAll(({}, suite) => {
  const { cpuSeconds, childrenSeconds } = parseStat(readFileSync('/proc/self/stat', 'utf8'));
  const total = cpuSeconds + childrenSeconds;
  suite.meta.cpuSeconds = total - (shared.cpuBefore ?? 0);
  shared.cpuBefore = total;
});
