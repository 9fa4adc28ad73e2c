// Cheats on the fast level: all data cheats and its own against every solution task, all containment and function
// cheats against one function task, a seeded sample against the others; everything with EVOLVE_ALL_CHEATS=1. All of
// them against one solution task: test/activities/sandbox/fast.test.ts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CheatKind } from '../../activities/check/findings.ts';
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
  checks = await openChecks('fast');
});
afterAll(() => checks.close());

const [fn, ...functions] = FUNCTION_TASKS;

const own = (task: string): readonly CheatKind[] => (OTHER_LANGUAGES.includes(task) ? [] : ['own']);

for (const task of SOLUTION_TASKS)
  test(`${task}: ${ALL_CHEATS ? 'every common cheat' : 'every data cheat'} and its own`, async () => {
    expect(
      faults(
        await checks.check(task, {
          parts: ['cheats'],
          kinds: ['solution', ...(ALL_CHEATS ? (['containment'] as const) : []), ...own(task)],
        }),
      ),
    ).toEqual([]);
  }, 900_000);

if (fn !== undefined)
  test(`${fn}: every common cheat`, async () => {
    expect(faults(await checks.check(fn, { parts: ['cheats'], kinds: ['containment', 'function'] }))).toEqual([]);
  }, 900_000);

for (const task of functions)
  test(`${task}: ${ALL_CHEATS ? 'every function cheat' : 'some function cheats'} and its own`, async () => {
    expect(
      faults(
        await checks.check(task, {
          parts: ['cheats'],
          kinds: ['function', 'own'],
          ...(ALL_CHEATS ? {} : { sample: sampled(4) }),
        }),
      ),
    ).toEqual([]);
  }, 900_000);
