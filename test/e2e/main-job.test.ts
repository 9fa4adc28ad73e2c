// What `npm start` runs, with every default but the sandbox's level, which only changes the time: it passes 1.8, as
// the README says. Its programs depend on each word of the prompts, so a change of words can spoil it.
import { expect, it } from 'vitest';
import { sharedHome } from '../support/live.ts';

const live = sharedHome();

it('the default run passes 1.8', async () => {
  await live.must('run', '--run', 'main', '--set', 'evaluation.sandbox=fast');
  const { config, best, totals } = await live.engine.ended('main', 10_000);
  expect(config).toMatchObject({
    task: 'circle-packing-square-26',
    method: 'theta',
    seed: 42,
    model: { kind: 'offline' },
  });
  expect(totals.programs).toBe(config.batch * config.responses * config.limits.steps!);
  expect(best!.score).toBeGreaterThan(1.8);
  expect(best!.strictScore).toBeGreaterThan(1.8);
});
