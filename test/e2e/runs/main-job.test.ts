// What `npm start` runs, with every default but the sandbox's level, which only changes the time: it passes 1.8. Its
// programs depend on each word of the prompts, so a change of words can spoil it. In between it ends where it passes 1.6.
import { expect, it } from 'vitest';
import { sharedHome } from '../../support/machine/live.ts';
import { FULL } from '../../support/sizes.ts';

const live = sharedHome();
const PASSED = FULL ? 1.8 : 1.6;

it(`the default run passes ${PASSED}`, async () => {
  const target = FULL ? [] : ['--set', `limits.targetScore=${PASSED}`];
  await live.must('run', '--run', 'main', ...target);
  const { config, best, totals, stopReason } = await live.engine.ended('main', 10_000);
  expect(config).toMatchObject({
    task: 'circle-packing-square-26',
    method: 'theta',
    seed: 42,
    model: { kind: 'offline' },
  });
  const programs = config.batch * config.responses * config.limits.steps!;
  if (FULL) expect(totals.programs).toBe(programs);
  else expect([stopReason, totals.programs <= programs]).toEqual(['targetScore', true]);
  expect(best!.score).toBeGreaterThan(PASSED);
  expect(best!.strictScore).toBeGreaterThan(PASSED);
});
