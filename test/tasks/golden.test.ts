// Every task's folder has its shape, and its evaluator gives the catalogue's closed-form values, the honest score and
// those of the gold files through the real scorer container.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FULL } from '../support/sizes.ts';
import { faults, LONG_FUNCTIONS, LONG_GOLDEN, openChecks, TASKS } from './checked.ts';
import type { Checks } from './checked.ts';

let checks: Checks;
beforeAll(async () => {
  checks = await openChecks('auto');
});
afterAll(() => checks.close());

for (const task of TASKS)
  test(`${task}: files, golden cases, honest and gold solutions`, async () => {
    const solutions = FULL || !LONG_FUNCTIONS.includes(task) ? (['honest', 'gold'] as const) : [];
    const options = { full: FULL, goldenPrograms: FULL || !LONG_GOLDEN.includes(task) };
    expect(faults(await checks.check(task, { parts: ['files', 'golden', ...solutions], ...options }))).toEqual([]);
  });
