// Cheats in single-use containers (tasks/cheats): all containment cheats against one task of each kind, a seeded
// sample of the others, and of all against every other task; everything with EVOLVE_ALL_CHEATS=1. Every data cheat
// against every task: cheats-fast.test.ts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CheckOptions } from '../../activities/check/findings.ts';
import {
  ALL_CHEATS,
  type Checks,
  faults,
  FUNCTION_TASKS,
  openChecks,
  OTHER_LANGUAGES,
  sampled,
  SOLUTION_TASKS,
} from './checked.ts';

let checks: Checks;
beforeAll(async () => {
  checks = await openChecks('docker');
});
afterAll(() => checks.close());

const [solution, ...solutions] = SOLUTION_TASKS;
const [fn, ...functions] = FUNCTION_TASKS;

const cheats = (task: string, title: string, some: Pick<CheckOptions, 'kinds' | 'sample'>): void => {
  test(`${task}: ${ALL_CHEATS ? 'every common cheat and its own' : title}`, async () => {
    expect(faults(await checks.check(task, { parts: ['cheats'], ...(ALL_CHEATS ? {} : some) }))).toEqual([]);
  }, 900_000);
};

for (const task of [solution, fn].filter((one) => one !== undefined)) {
  cheats(task, 'every containment cheat', { kinds: ['containment'] });
  if (!ALL_CHEATS)
    cheats(task, 'some of the others, and its own', { kinds: ['solution', 'function', 'own'], sample: sampled(12) });
}
for (const task of [...solutions, ...functions]) {
  cheats(task, 'a containment cheat', {
    kinds: OTHER_LANGUAGES.includes(task) ? ['containment', 'own'] : ['containment'],
    sample: sampled(1),
  });
}
