// What CodeEvolve's paper leaves open, as settings (docs/methods/codeevolve.md): prompts edited in the initial phase,
// everybody explored, all ancestors.
import { describe, expect, it } from 'vitest';
import { rebuildRun } from '../../../activities/rebuild/rebuild.ts';
import { shippedTask } from '../../support/domain/shipped-tasks.ts';
import {
  codeWorld,
  edit,
  isMeta,
  messagesOf,
  plansOf,
  programsOf,
  run,
  SMALL,
  textOf,
} from '../../support/worlds/code-world.ts';

const CLEAN = { differences: [], differenceCount: 0 };
const SMALLER = { ...SMALL, batch: 2 };

describe('the initial phase', () => {
  it('with initMetaPrompt each seed program has a prompt of its own, an edit of the initial one; nothing else is shown', async () => {
    const world = codeWorld({ ...SMALLER, exploration: { ...SMALL.exploration, initMetaPrompt: true } });
    await world.play(2);
    const founding = (await plansOf(world.store, 2, SMALLER.batch)).filter((plan) => plan.founding === true);
    expect(founding).toHaveLength(4);
    const texts = await Promise.all(
      founding.map(async (plan) => {
        expect(plan).toMatchObject({ first: 'meta', prompt: { id: 'initial' } });
        expect(plan.context).toBeUndefined();
        return (await messagesOf(world.store, plan))[0]!.content;
      }),
    );
    expect(new Set(texts).size).toBe(4);
    expect(world.asked.filter(isMeta)).toHaveLength(4);
    const seedPrograms = (await programsOf(world.store)).filter(({ founder }) => founder === true);
    expect(seedPrograms.map(({ prompt }) => prompt)).toEqual(
      founding.map(({ _id }) => expect.objectContaining({ id: _id, parent: 'initial', isNew: true }) as unknown),
    );
    expect(await textOf(world.store, seedPrograms[0]!.prompt!.text)).toContain('Hint ');
  });

  it('ends where executions fail, too: an island whose seed programs all failed explores from the initial program', async () => {
    const world = codeWorld(SMALLER, { score: (code) => (code.includes('middle_x = 0.5') ? 1 : null) });
    await world.play(5);
    const plans = await plansOf(world.store, 5, SMALLER.batch);
    expect(plans.map(({ founding }) => founding === true)).toEqual([
      true,
      true,
      true,
      true,
      ...Array.from({ length: 6 }, () => false),
    ]);
    expect(await rebuildRun({ store: world.store, loadTask: shippedTask }, run)).toMatchObject(CLEAN);
  });
});

it('ancestors null: the conversation goes back to the root, however deep', async () => {
  const world = codeWorld(
    {
      batch: 1,
      population: { islands: 1, initialisation: 1, map: 'none' },
      migration: { topology: 'none' },
      selection: { kind: 'best', pool: 'island' },
      exploration: { schedule: 'constant', start: 0, metaPrompt: false },
      prompt: { ancestors: null, inspirations: 0 },
    },
    { score: (code) => code.length, program: ({ seed }, line) => edit(line, `${line}\n    further_${seed} = ${seed}`) },
  );
  await world.play(9);
  const depths = await Promise.all(
    (await plansOf(world.store, 9, 1)).map(async (plan) => (await messagesOf(world.store, plan)).length),
  );
  expect(depths).toEqual(Array.from({ length: 9 }, (_, depth) => 2 * depth + 2));
});

it('method naive keeps at most its cap on each island, and a rebuild agrees', async () => {
  const world = codeWorld({
    method: 'naive',
    batch: 2,
    population: { islands: 2, initialisation: 2, islandCap: 4 },
    migration: { interval: 3 },
  });
  await world.play(14);
  const { islands } = await world.store.population(run);
  expect(islands.map(({ byId }) => byId.size)).toEqual([4, 4]);
  expect(await rebuildRun({ store: world.store, loadTask: shippedTask }, run)).toMatchObject(CLEAN);
});
