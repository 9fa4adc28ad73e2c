// Cheats in single-use containers under gVisor: what is confined by the host's kernel elsewhere, and counted by its
// cgroups, must come out the same where another kernel is in between. Every cheat of every task meets the same
// evaluators in cheats.test.ts and cheats-fork.test.ts; here all that attack the containment, and some of each other
// kind.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CheckOptions } from '../../activities/check/findings.ts';
import { type GvisorEngine, noGvisor, startGvisorEngine } from '../support/machine/gvisor.ts';
import { FULL } from '../support/sizes.ts';
import { type Checks, faults, FUNCTION_TASKS, openChecks, sampled, SOLUTION_TASKS } from './checked.ts';

const none = await noGvisor();
if (none !== null) console.warn(`cheats under gVisor are not tested: ${none}`);

let engine: GvisorEngine | undefined;
let checks: Checks | undefined;
beforeAll(async () => {
  if (none !== null) return;
  engine = await startGvisorEngine();
  checks = await openChecks('docker', engine);
}, 300_000);
afterAll(async () => {
  await checks?.close();
  await engine?.close();
});

const cheats = (task: string | undefined, title: string, some: Pick<CheckOptions, 'kinds' | 'sample'>): void => {
  if (task === undefined) return;
  test.skipIf(none !== null)(
    `${task}: ${title}`,
    async () => {
      expect(faults(await checks!.check(task, { parts: ['cheats'], ...some }))).toEqual([]);
    },
    FULL ? 3_600_000 : 900_000,
  );
};

const [solution] = SOLUTION_TASKS;
const [fn] = FUNCTION_TASKS;
if (FULL) {
  cheats(solution, 'every common cheat and its own', {});
  cheats(fn, 'every common cheat and its own', {});
} else {
  cheats(solution, 'four containment cheats', { kinds: ['containment'], sample: sampled(4) });
  cheats(fn, 'two function cheats', { kinds: ['function'], sample: sampled(2) });
}
