// Every task's initial program scores what task.yaml says: deterministic ones to 1e-12, others inside their band;
// long ones in a quick run, in full with EVOLVE_FULL_INITIAL=1.
import { afterAll, beforeAll, describe, test } from 'vitest';
import { faults, openChecks, TASKS, type Checks } from './checked.ts';

const full = process.env['EVOLVE_FULL_INITIAL'] === '1';
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
        expect(faults(await checks.check(task, { parts: ['initial'], full }))).toEqual([]);
      },
      full ? 3_600_000 : 240_000,
    );
});
