// What was tried before is read once, however a run is conducted: each plan reads on from where the one before ended.
// What was read is kept for a store, so a plan that gives the prompts a wrapped one reads the whole run each time.
import { expect, it, vi } from 'vitest';
import { codeWorld, programsOf, SMALL } from '../../../../support/worlds/code-world.ts';
import { playStream } from '../../../../support/worlds/stream-world.ts';
import { playWindows } from '../../../../support/worlds/window-world.ts';

const STEPS = 10;
type World = ReturnType<typeof codeWorld>;
/** One prompt for all, so that nothing but the common frame looks into what was made. */
const settings = {
  ...SMALL,
  migration: { interval: 5 },
  exploration: { ...SMALL.exploration, schedule: 'none', metaPrompt: false },
};
const CONDUCTED: { readonly [how: string]: readonly [object, (world: World) => Promise<unknown>] } = {
  'step by step': [
    { ...settings, population: { ...SMALL.population, islandSync: 'epoch' } },
    async (world) => {
      for (let step = 0; step <= STEPS; step += 1) await world.step(step);
    },
  ],
  'by islands that do not wait': [
    { ...settings, population: { ...SMALL.population, islandSync: 'migration' } },
    (world) =>
      playWindows(
        world,
        { ...settings, population: { ...SMALL.population, islandSync: 'migration' } },
        { steps: STEPS, turn: (can) => can[0]! },
      ),
  ],
  'as a stream': [
    { ...settings, schedule: 'continuous', inFlight: 6 },
    (world) => playStream(world, { steps: STEPS, turn: (open) => open.length - 1 }),
  ],
};

it.each(Object.entries(CONDUCTED))('%s', async (_, [of, conduct]) => {
  const world = codeWorld(of);
  await world.open();
  let read = 0;
  const { eachProgram } = world.store;
  vi.spyOn(world.store, 'eachProgram').mockImplementation(async function* (...asked) {
    for await (const program of eachProgram.apply(world.store, asked)) {
      read += 1;
      yield program;
    }
  });
  await conduct(world);
  const made = (await programsOf(world.store)).length;
  // The first program is looked at besides, and of those behind the last step that is told one is read and left.
  expect(read).toBeLessThan(3 * made);
});

it('as a stream, programs that the process has committed are not read again, neither for prompts nor for answers', async () => {
  const [of, conduct] = CONDUCTED['as a stream']!;
  const world = codeWorld(of);
  await world.open();
  const asked: (readonly string[])[] = [];
  const { getPrograms } = world.store;
  vi.spyOn(world.store, 'getPrograms').mockImplementation((ids, known) => {
    if (known === undefined && ids.length > 0) asked.push(ids);
    return getPrograms.call(world.store, ids, known);
  });
  await conduct(world);
  expect(asked).toEqual([]);
});
