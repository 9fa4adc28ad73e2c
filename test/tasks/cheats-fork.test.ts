// Cheats on the level fork. A common cheat attacks what all tasks share: all data cheats meet a solution task in
// test/activities/sandbox/levels/fork.test.ts. A cheat of a task's own attacks its evaluator, so each is run; every common
// one against every task with `npm run test:full`.
// Attempts: programs and scores.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CheatKind, CheckOptions } from '../../activities/check/findings.ts';
import { FULL } from '../support/sizes.ts';
import { type Checks, faults, FUNCTION_TASKS, openChecks, TIMED, SOLUTION_TASKS } from './checked.ts';

let checks: Checks;
beforeAll(async () => {
  checks = await openChecks('auto');
});
afterAll(() => checks.close());

const functions = FUNCTION_TASKS.filter((id) => !TIMED.includes(id));

const cheats = (task: string, title: string, some: Pick<CheckOptions, 'kinds' | 'sample'>): void => {
  test(
    `${task}: ${title}`,
    async () => {
      expect(faults(await checks.check(task, { parts: ['cheats'], ...some }))).toEqual([]);
    },
    FULL ? 3_600_000 : 900_000,
  );
};

const own = (task: string): readonly CheatKind[] => (TIMED.includes(task) ? [] : ['own']);

for (const task of SOLUTION_TASKS) {
  const kinds: readonly CheatKind[] = ['solution', ...(FULL ? (['containment'] as const) : []), ...own(task)];
  if (FULL) cheats(task, 'every common cheat and its own', { kinds });
  else if (own(task).length > 0) cheats(task, 'its own', { kinds: own(task) });
}

if (FULL && functions[0] !== undefined) cheats(functions[0], 'every containment cheat', { kinds: ['containment'] });

for (const task of functions) {
  if (FULL) cheats(task, 'every function cheat and its own', { kinds: ['function', 'own'] });
  else cheats(task, 'its own', { kinds: ['own'] });
}
