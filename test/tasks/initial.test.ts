// Every task's initial program scores what task.yaml says: deterministic ones to 1e-12, others inside their band; those
// that know how to be short in a quick run, in full with `npm run test:full`.
import { afterAll, beforeAll, describe, test } from 'vitest';
import { FULL } from '../support/sizes.ts';
import { faults, LONG_FUNCTIONS, openChecks, TASKS } from './checked.ts';
import type { Checks } from './checked.ts';

/** About 20 s of CPU each, however much they are given; the first has two such programs. */
const LONG_SOLUTIONS = ['first-autocorrelation', 'second-autocorrelation'];
const LONG = [...LONG_FUNCTIONS, ...LONG_SOLUTIONS];
const SHORT = TASKS.filter((task) => FULL || !LONG.includes(task));

let checks: Checks;
beforeAll(async () => {
  checks = await openChecks('auto');
});
afterAll(() => checks.close());

describe.concurrent('initial programs', () => {
  for (const task of SHORT)
    test(
      task,
      async ({ expect }) => {
        expect(faults(await checks.check(task, { parts: ['initial'], full: FULL }))).toEqual([]);
      },
      FULL ? 3_600_000 : 900_000,
    );
});
