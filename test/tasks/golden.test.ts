// Every task's folder has its shape, and its evaluator gives the catalogue's closed-form values, the honest score and
// those of the gold files through the real scorer container.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faults, openChecks, TASKS, type Checks } from './checked.ts';

let checks: Checks;
beforeAll(async () => {
  checks = await openChecks('docker');
});
afterAll(() => checks.close());

for (const task of TASKS)
  test(`${task}: files, golden cases, honest and gold solutions`, async () => {
    expect(faults(await checks.check(task, { parts: ['files', 'golden', 'honest', 'gold'] }))).toEqual([]);
  });
