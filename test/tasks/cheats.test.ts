// Cheats in single-use containers (tasks/cheats). What confines a program is the same whatever the task, so all
// containment cheats meet one solution task, a seeded sample of each kind one function task; every cheat every task
// with `npm run test:full`. Data cheats of every kind, which look for holes in evaluators:
// cheats-fork.test.ts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CheckOptions } from '../../activities/check/findings.ts';
import { FULL } from '../support/sizes.ts';
import { type Checks, faults, FUNCTION_TASKS, openChecks, SINGLE_USE, sampled, SOLUTION_TASKS } from './checked.ts';

let checks: Checks;
beforeAll(async () => {
  checks = await openChecks('docker');
});
afterAll(() => checks.close());

const [solution, ...solutions] = SOLUTION_TASKS;
const [fn, ...functions] = FUNCTION_TASKS;

const cheats = (task: string | undefined, title: string, some: Pick<CheckOptions, 'kinds' | 'sample'>): void => {
  if (task === undefined) return;
  test(
    `${task}: ${FULL ? 'every common cheat and its own' : title}`,
    async () => {
      expect(faults(await checks.check(task, { parts: ['cheats'], ...(FULL ? {} : some) }))).toEqual([]);
    },
    FULL ? 3_600_000 : 900_000,
  );
};

cheats(solution, 'every containment cheat', { kinds: ['containment'] });
if (!FULL) cheats(solution, 'some data cheats, and its own', { kinds: ['solution', 'own'], sample: sampled(3) });
cheats(fn, 'some cheats of every kind, and its own', { kinds: ['containment', 'function', 'own'], sample: sampled(2) });

// Their evaluators meet cheats on the level `fork`; here only what does not run there.
for (const task of [...solutions, ...functions].filter((one) => FULL || SINGLE_USE.includes(one)))
  cheats(task, 'a common cheat of each kind, and its own', {
    kinds: functions.includes(task) ? ['containment', 'function', 'own'] : ['containment', 'own'],
    sample: sampled(1),
  });
