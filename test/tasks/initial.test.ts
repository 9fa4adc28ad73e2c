// Every task's initial program scores what task.yaml says: deterministic ones to 1e-12, others inside their band;
// long ones in a quick run, in full with `npm run test:full`.
import { afterAll, beforeAll, describe, test } from 'vitest';
import { FULL } from '../support/sizes.ts';
import { faults, openChecks, TASKS } from './checked.ts';
import type { Checks } from './checked.ts';

let checks: Checks;
beforeAll(async () => {
  checks = await openChecks('docker');
});
afterAll(() => checks.close());

describe.concurrent('initial programs', () => {
  for (const task of TASKS)
    test(
      task,
      async ({ expect }) => {
        expect(faults(await checks.check(task, { parts: ['initial'], full: FULL }))).toEqual([]);
      },
      FULL ? 3_600_000 : 900_000,
    );
});
