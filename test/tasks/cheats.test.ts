// Cheats in single-use containers (tasks/cheats): a seeded sample of each kind meets one solution task and one function
// task, every cheat every task with `npm run test:full`. All containment cheats and data cheats meet the level `fork`, on
// which runs are by default: test/activities/sandbox/levels/fork.test.ts, cheats-fork.test.ts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CheckOptions } from '../../activities/check/findings.ts';
import { FULL } from '../support/sizes.ts';
import { type Checks, faults, FUNCTION_TASKS, openChecks, TIMED, sampled, SOLUTION_TASKS } from './checked.ts';

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

cheats(solution, 'some cheats of every kind', { kinds: ['containment', 'solution'], sample: sampled(3) });
cheats(fn, 'a cheat of every kind', { kinds: ['containment', 'function'], sample: sampled(1) });

// Their evaluators meet cheats on the level `fork`; here only what does not run there.
for (const task of [...solutions, ...functions].filter((one) => FULL || TIMED.includes(one)))
  cheats(task, 'its own', { kinds: ['own'] });
