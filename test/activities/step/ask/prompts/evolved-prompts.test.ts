// Which prompt a group begins with (CodeEvolve 4.2; CodeEvolve 4 and 7).
import { describe, expect, it } from 'vitest';
import { evolvedPrompts } from '../../../../../activities/step/ask/prompts/evolved-prompts.ts';
import { loadTask } from '../../../../../activities/task/load-task.ts';
import { loadPopulation } from '../../../../../evolution/population/population.ts';
import { drawParents } from '../../../../../evolution/selection/selection.ts';
import type { IslandPrompt, Membership } from '../../../../../evolution/types.ts';
import { memoryStore } from '../../../../doubles/memory-store.ts';
import { expectUniform } from '../../../../support/domain/chi-square.ts';
import { configOf } from '../../../../support/worlds/code-world.ts';

const task = await loadTask('circle-packing-square-26');

describe('the prompt of a group', () => {
  const config = configOf({
    population: { islands: 2, initialisation: 2, map: 'none' },
    selection: { pool: 'island' },
    exploration: { schedule: 'constant', start: 0.5 },
  });
  const members = Array.from({ length: 6 }, (_, index): Membership => ({
    id: `m${index}`,
    fit: index,
    bornSeq: index,
    length: 9,
    home: 0,
    island: 0,
  }));
  const rows = ['initial', 'r:000001:0:0001', 'r:000002:0:0000', 'r:000002:0:0003'].map((id, index): IslandPrompt => ({
    island: 0,
    id,
    text: `t${index}`,
    parent: null,
    bestFit: index,
  }));
  const population = loadPopulation(
    config.population,
    [...members, { ...members[0]!, island: 1 }],
    [],
    { bounds: null, generations: [0, 0], lastMigration: 0, size: 6, best: null },
    [],
    rows,
  );
  const draws = drawParents({ population, step: 9, batch: 40_000, seed: 1, settings: config });

  it("CodeEvolve 7: exploration's parent and prompt are uniform and independent", async () => {
    const prompts = await evolvedPrompts(memoryStore(), population, draws, { task, config, step: 9 });
    const pairs = draws.flatMap(({ operator, branch, parent }, group) =>
      operator === 'explore' && branch !== 'initialisation' ? [`${parent} ${prompts[group]!.prompt!.id}`] : [],
    );
    expectUniform(
      pairs,
      members.flatMap(({ id }) => rows.map((row) => `${id} ${row.id}`)),
    );
  });

  it("exploitation: that of the parent, here the initial one as nothing else is stored; by policy one of the island's by rank", async () => {
    const exploits = draws
      .map(({ operator }, group) => [operator, group] as const)
      .filter(([operator]) => operator === 'exploit')
      .map(([, group]) => group);
    const own = await evolvedPrompts(memoryStore(), population, draws, { task, config, step: 9 });
    expect(new Set(exploits.map((group) => own[group]!.prompt!.text))).toEqual(new Set(['t0']));
    const policy = await evolvedPrompts(memoryStore(), population, draws, {
      task,
      config: { ...config, exploration: { ...config.exploration, exploitPrompt: 'policy' } },
      step: 9,
    });
    const shares = rows.map(
      ({ id }) => exploits.filter((group) => policy[group]!.prompt!.id === id).length / exploits.length,
    );
    // Weights 1, 1/2, 1/3, 1/4 by fitness, the last row first.
    for (const [index, share] of shares.toReversed().entries())
      expect(Math.abs(share - 12 / 25 / (index + 1))).toBeLessThan(0.015);
  });

  it('while an island is initialised: the initial one', async () => {
    const prompts = await evolvedPrompts(memoryStore(), population, draws, { task, config, step: 9 });
    const initialisation = draws.flatMap(({ branch }, group) =>
      branch === 'initialisation' ? [prompts[group]!.prompt!.id] : [],
    );
    expect(initialisation.length).toBeGreaterThan(0);
    expect(new Set(initialisation)).toEqual(new Set(['initial']));
  });
});
