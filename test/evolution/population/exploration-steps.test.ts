// Operators, rates and prompts from step to step (CodeEvolve 4.2, 4.3; CodeEvolve).
import { describe, expect, it } from 'vitest';
import type { ExplorationSchedule, PopulationSettings } from '../../../evolution/config/run-config.ts';
import { codeDefaults } from '../../../evolution/methods/code.ts';
import { promptsOn } from '../../../evolution/population/explored.ts';
import { commitStep } from '../../../evolution/population/insertion.ts';
import { applyChangeSet, loadPopulation, type Population } from '../../../evolution/population/population.ts';
import { FAILURE_FIT } from '../../../evolution/scoring/failures.ts';
import { drawParents } from '../../../evolution/selection/selection.ts';
import type { AskedWith, Child, Membership } from '../../../evolution/types.ts';
import { expectUniform } from '../../support/domain/chi-square.ts';
import { expectSame, reloaded, snapshotOf } from '../../support/engine/histories.ts';
import { failed, grown, initial, settingsOf, valid, type WorldSettings } from '../../support/worlds/populations.ts';

const exploring = (
  exploration: Partial<ExplorationSchedule>,
  population: Partial<PopulationSettings> = {},
): WorldSettings => ({
  ...settingsOf({ islands: 2, cap: 400, archive: 40, ...population }, { topology: 'none' }),
  exploration: { ...codeDefaults.exploration, ...exploration },
});
const stepped = (
  population: Population,
  settings: WorldSettings,
  step: number,
  children: readonly Child[],
): Population => applyChangeSet(population, commitStep({ population, children, step, settings }));
const asked = (id: string, change: Partial<AskedWith> = {}): AskedWith => ({
  id,
  text: `text of ${id}`,
  parent: null,
  isNew: false,
  ...change,
});

/** Island 0 and 1 with the same members, the fits in any order. */
const twins = (fits: readonly number[], settings: WorldSettings): Population => {
  const rows = [0, 1].flatMap((island) =>
    fits.map((fit, index): Membership => ({ id: `m${index}`, fit, bornSeq: index, length: 100, home: 0, island })),
  );
  const best = rows.reduce((a, b) => (b.fit > a.fit ? b : a));
  return loadPopulation(settings.population, rows, [], {
    bounds: null,
    generations: [0, 0],
    lastMigration: 0,
    size: fits.length,
    best: { id: best.id, fit: best.fit },
  });
};

describe('operators', () => {
  const settings = exploring({ schedule: 'constant', start: 0.2 }, { map: 'none' });
  const code = { ...settings, selection: { ...codeDefaults.selection, pool: 'island' as const } };
  const ten = twins(
    Array.from({ length: 10 }, (_, index) => 10 - index),
    settings,
  );

  it('CodeEvolve 1, 7: exploitation draws by rank, exploration uniformly', () => {
    const draws = drawParents({
      population: ten,
      step: 1,
      batch: 60_000,
      seed: 6,
      settings: { ...code, exploration: { ...code.exploration, start: 0.5 } },
    });
    const exploiting = draws.filter(({ operator }) => operator === 'exploit');
    const share = (id: string): number => exploiting.filter(({ parent }) => parent === id).length / exploiting.length;
    expect(Math.abs(share('m0') - 0.3414)).toBeLessThan(0.01);
    expect(Math.abs(share('m9') - 0.0341)).toBeLessThan(0.01);
    const explored = draws.filter(({ operator }) => operator === 'explore');
    expectUniform(
      explored.map(({ parent }) => parent),
      ten.all.byBirth.map(({ id }) => id),
    );
  });

  it('exploration draws from cell elites, or (`pool: all`) from everybody alive on the island, failures that were admitted too', () => {
    const of = (pool: 'elites' | 'all') => {
      const world = {
        ...exploring(
          { schedule: 'constant', start: 1, pool },
          { map: 'grid', bins: 1, features: ['length'], islands: 1, admitFailures: true },
        ),
        selection: codeDefaults.selection,
      };
      const population = grown(world, [[valid(1, 0, 2), valid(1, 1, 3), failed(1, 2, 'invalid')]]);
      const draws = drawParents({ population, step: 2, batch: 4_000, seed: 8, settings: world }).map(
        ({ parent }) => parent,
      );
      return { draws, all: population.all.byBirth.map(({ id }) => id) };
    };
    expect(new Set(of('elites').draws)).toEqual(new Set([valid(1, 1, 3).id]));
    const { draws, all } = of('all');
    expect(all).toHaveLength(4);
    expectUniform(draws, all);
  });

  it('CodeEvolve 22: two islands with equal populations draw different parents', () => {
    const draws = drawParents({
      population: ten,
      step: 1,
      batch: 400,
      seed: 7,
      settings: { ...code, exploration: { ...code.exploration, start: 0.5 } },
    });
    const on = (island: number) =>
      draws.filter((draw) => draw.island === island).map(({ parent, operator }) => [parent, operator]);
    const [left, right] = [on(0), on(1)];
    expect(left).not.toEqual(right);
    // Independent draws agree now and then.
    const same = left.filter(([parent], index) => parent === right[index]![0]).length;
    expect(same).toBeGreaterThan(0);
    expect(same).toBeLessThan(100);
  });

  it('CodeEvolve 8: with all fits below 0 no failure is drawn while anything else is there, in either operator', () => {
    const admitting = exploring({ schedule: 'constant', start: 0.5 }, { map: 'none', admitFailures: true });
    const population = twins([-5, -7, FAILURE_FIT.invalid], admitting);
    const draws = drawParents({
      population,
      step: 1,
      batch: 2_000,
      seed: 8,
      settings: { ...admitting, selection: { ...codeDefaults.selection, kind: 'best', pool: 'island' } },
    });
    expect(new Set(draws.filter(({ operator }) => operator === 'explore').map(({ parent }) => parent))).toEqual(
      new Set(['m0', 'm1']),
    );
    expect(new Set(draws.filter(({ operator }) => operator === 'exploit').map(({ parent }) => parent))).toEqual(
      new Set(['m0']),
    );
  });

  it('without a schedule there are none, and the draws are what they were', () => {
    const { exploration, ...without } = code;
    const draws = (given: typeof without & { exploration?: ExplorationSchedule }) =>
      drawParents({ population: ten, step: 3, batch: 50, seed: 9, settings: given });
    expect(draws({ ...without, exploration: { ...exploration, schedule: 'none' } })).toEqual(draws(without));
    expect(draws(without).every((draw) => !('operator' in draw))).toBe(true);
  });
});

describe('rates, moved by commits', () => {
  const ratesAfter = (
    settings: WorldSettings,
    steps: readonly (readonly Child[])[],
  ): readonly (readonly number[])[] => {
    let population = grown(settings);
    return steps.map((children, index) => {
      population = stepped(population, settings, index + 1, children);
      return population.state.exploration!.map(({ rate }) => rate);
    });
  };
  const child = (step: number, fit: number, change: Partial<Child> = {}): Child =>
    valid(step, 0, fit, { parent: initial().id, ...change });

  it('CodeEvolve 10: plateau from 0.2: 95 stagnant epochs reach 0.5 (19 raises); 18 improving epochs then return to 0.2; never outside the bounds', () => {
    const settings = exploring({});
    const steps = [
      ...Array.from({ length: 95 }, (_, index) => [child(index + 1, index % 2 === 0 ? 0.5 : 0.1)]),
      ...Array.from({ length: 18 }, (_, index) => [child(96 + index, 1 + index)]),
    ];
    const rates = ratesAfter(settings, steps).map(([rate]) => rate!);
    expect([rates[93], rates[94]]).toEqual([expect.closeTo(0.2 * 1.05 ** 18, 12), 0.5]);
    expect(new Set(rates.slice(0, 95)).size).toBe(20);
    expect(rates[95]).toBeCloseTo(0.475, 12);
    expect(rates.at(-2)).toBeGreaterThan(0.2);
    expect(rates.at(-1)).toBe(0.2);
    for (const rate of rates) expect(rate >= 0.2 && rate <= 0.5).toBe(true);
  });

  it('the initial phase has no epochs; an island without a group has none either; failures are attempts', () => {
    const settings = exploring({ patience: 1 }, { initialisation: 3 });
    const seedProgram = (step: number, slot: number): Child =>
      valid(step, slot, step, { parent: initial().id, founder: true });
    let population = grown(settings);
    population = stepped(population, settings, 1, [seedProgram(1, 0)]);
    population = stepped(population, settings, 2, [seedProgram(2, 0)]);
    expect(population.state.exploration!.map(({ epoch }) => epoch)).toEqual([0, 0]);
    population = stepped(population, settings, 3, [failed(3, 0, 'no_diff', { parent: initial().id })]);
    expect(population.state.exploration).toEqual([
      { epoch: 1, rate: expect.closeTo(0.21, 12), stagnant: 0 },
      { epoch: 0, rate: 0.2, stagnant: 0 },
    ]);
  });

  it("the best rises by the island's own children only: not by migrants, not by what a person injects", () => {
    const settings = {
      ...exploring({}),
      migration: {
        ...settingsOf().migration,
        topology: 'ring' as const,
        style: 'top' as const,
        unit: 'steps' as const,
        interval: 1,
        rate: 0.1,
      },
    };
    let population = grown(settings);
    const both = (step: number, left: number, right: number): readonly Child[] => [
      child(step, left),
      valid(step, 1, right, { parent: initial().id, island: 1 }),
    ];
    population = stepped(population, settings, 1, both(1, 5, 0.1));
    expect(population.islands[1]!.worstFirst.at(-1)!.fit).toBe(5);
    expect(population.state.exploration!.map(({ stagnant }) => stagnant)).toEqual([0, 1]);
    // Better than any own one before, not than the migrant.
    population = stepped(population, settings, 2, both(2, 0.1, 3));
    expect(population.state.exploration!.map(({ stagnant }) => stagnant)).toEqual([1, 2]);
    population = stepped(population, settings, 3, [...both(3, 0.1, 0.1), valid(3, 2, 9, { parent: null, island: 1 })]);
    expect(population.state.exploration!.map(({ stagnant }) => stagnant)).toEqual([2, 3]);
  });
});

describe('prompts of islands', () => {
  const settings = exploring({});
  const child = (step: number, slot: number, fit: number, prompt: AskedWith | undefined, island = 0): Child =>
    valid(step, slot, fit, { parent: initial().id, island, ...(prompt ? { prompt } : {}) });
  const born = 'run:000002:0:0001';

  it('CodeEvolve 8: prompt fitness is the maximum over its valid programs, unset until one exists, whatever the signs', () => {
    let population = grown(settings);
    population = stepped(population, settings, 1, [
      child(1, 0, -3, asked('initial')),
      { ...failed(1, 1, 'invalid', { parent: initial().id }), prompt: asked('initial') },
    ]);
    expect(promptsOn(population, 0)).toEqual([{ id: 'initial', text: 'text of initial', parent: null, bestFit: -3 }]);
    population = stepped(population, settings, 2, [
      { ...failed(2, 1, 'no_diff', { parent: initial().id }), prompt: asked(born, { parent: 'initial', isNew: true }) },
      child(2, 2, -7, asked('initial')),
    ]);
    expect(promptsOn(population, 0)).toEqual([
      { id: 'initial', text: 'text of initial', parent: null, bestFit: -3 },
      { id: born, text: `text of ${born}`, parent: 'initial', bestFit: null },
    ]);
    population = stepped(population, settings, 3, [child(3, 0, -1, asked(born)), child(3, 1, -2, asked(born))]);
    expect(promptsOn(population, 0)[1]!.bestFit).toBe(-1);
    expect(promptsOn(population, 1)).toEqual([]);
  });

  it('beyond the cap of the island the worst prompt leaves, and one that is no better never joins', () => {
    const capped = exploring({}, { map: 'none', islandCap: 2 });
    const edited = (group: number, fit: number) =>
      child(2, group, fit, asked(`run:000002:0:000${group}`, { parent: 'initial', isNew: true }));
    let population = stepped(grown(capped), capped, 1, [child(1, 0, -3, asked('initial'))]);
    population = stepped(population, capped, 2, [edited(0, -2), edited(1, -1), edited(2, -9)]);
    const live = () => promptsOn(population, 0).map(({ id, bestFit }) => [id, bestFit]);
    expect(live()).toEqual([
      ['run:000002:0:0000', -2],
      ['run:000002:0:0001', -1],
    ]);
    expectSame(snapshotOf(reloaded(population)), snapshotOf(population));
    // One that left is used by the programs that it made, and does not come back.
    population = stepped(population, capped, 3, [child(3, 0, 5, asked('initial'))]);
    expect(live().map(([id]) => id)).not.toContain('initial');
  });

  it("a prompt that came with a migrant is nobody's there", () => {
    let population = grown(settings);
    population = stepped(population, settings, 2, [child(2, 0, 1, asked(born, { parent: 'initial', isNew: true }))]);
    population = stepped(population, settings, 3, [child(3, 0, 4, asked(born), 1)]);
    expect(promptsOn(population, 1)).toEqual([]);
    expect(promptsOn(population, 0).map(({ id, bestFit }) => [id, bestFit])).toEqual([[born, 1]]);
  });

  it('the oldest comes first: the initial one, then by step, epoch and group, whatever the order of the rows', () => {
    const ids = [
      'initial',
      'run:000002:0:0001',
      'run:000002:0:0003',
      'fork:000009:2:0000',
      'fork:000009:10:0000',
      'run:000010:0:0000',
    ];
    const population = loadPopulation(
      settings.population,
      [],
      [],
      { bounds: null, generations: [0, 0], lastMigration: 0, size: 0, best: null },
      [],
      ids.toReversed().map((id) => ({ island: 0, id, text: id, parent: null, bestFit: null })),
    );
    expect(promptsOn(population, 0).map(({ id }) => id)).toEqual(ids);
  });

  it('a change set holds what changed, absolutely: applied again it changes nothing, and rows give the same population', () => {
    const population = grown(settings);
    const changeSet = commitStep({
      population,
      children: [child(1, 0, 1, asked('initial')), child(1, 1, 2, asked(born, { parent: 'initial', isNew: true }), 1)],
      step: 1,
      settings,
    });
    expect(changeSet.prompts).toEqual([
      { island: 0, id: 'initial', text: 'text of initial', parent: null, bestFit: 1 },
      { island: 1, id: born, text: `text of ${born}`, parent: 'initial', bestFit: 2 },
    ]);
    applyChangeSet(population, changeSet);
    const once = JSON.stringify(snapshotOf(population));
    expectSame(snapshotOf(applyChangeSet(population, changeSet)), JSON.parse(once));
    expectSame(snapshotOf(reloaded(population)), JSON.parse(once));
    expect(
      commitStep({ population, children: [child(2, 0, 0.5, asked('initial'))], step: 2, settings }).prompts,
    ).toEqual([]);
    expect(
      Object.keys(
        commitStep({
          population: grown(settingsOf()),
          children: [child(1, 0, 1, undefined)],
          step: 1,
          settings: settingsOf(),
        }),
      ),
    ).not.toContain('prompts');
  });
});
