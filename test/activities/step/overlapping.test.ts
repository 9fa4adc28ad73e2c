// What a step that overlaps the one before knows: the population and the programs that were committed when it was
// planned, whatever is committed before its answers come.
import { expect, it } from 'vitest';
import { programId, promptId } from '../../../evolution/ids.ts';
import { run, world } from '../../support/worlds/world.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

const opened = async (schedule: 'steps' | 'overlapping') => {
  const it = world();
  const settings = { schedule, batch: 2, responses: 6, limits: { steps: 4 }, seed: 3 };
  const config = configFrom(settings);
  await it.call(it.activities.openRun, { run, owner: 'first', config });
  await it.step(0, false);
  const window = { steps: 4, programs: null };
  return { ...it, plan: await it.call(it.activities.planStep, { run, step: 1, owner: 'first', window }) };
};

it('steps overlap up to the limit, and not at all with schedule steps', async () => {
  expect((await opened('overlapping')).plan.window).toEqual({ last: 4 });
  expect((await opened('steps')).plan.window).toBeUndefined();
});

it('a step draws from the population after the step before the one before, and knows no later program', async () => {
  const { plan, store, call, activities, step } = await opened('overlapping');
  const at = (of: number) => ({ run, step: of, epoch: plan.epoch, version: plan.version });
  const generation = plan.generation;
  const planned = await call(activities.planOverlapping, { ...at(2), generation });
  expect(planned.groups).toEqual([0, 1]);
  await step(1, false);
  const prompts = [...(await store.getPrompts([0, 1].map((group) => promptId(run, 2, 0, group)))).values()];
  // A second attempt finds what the first one planned.
  expect(await call(activities.planOverlapping, { ...at(2), generation })).toEqual(planned);
  const parents = new Set(prompts.map(({ parent }) => parent));
  expect([prompts.length, [...parents].every((parent) => parent.startsWith(`${run}:000000`))]).toEqual([2, true]);
  const outcomes = async (overlaps: boolean, group: number): Promise<readonly (string | null)[]> => {
    const asked = { ...at(2), group, first: 0, count: 6, responses: 6 };
    const { stored: slots } = await call(activities.generate, asked);
    await call(activities.applyResponses, { ...at(2), slots, final: slots, ...(overlaps && { overlaps }) });
    const deltas = await store.getDeltas(slots.map((slot) => programId(run, 2, plan.epoch, slot)));
    return [...deltas.values()].map(({ outcome }) => outcome);
  };
  expect(await outcomes(true, 0)).not.toContain('duplicate');
  expect(await outcomes(false, 1)).toContain('duplicate');
});
