// Parent sampling and prior programs (docs/methods/thetaevolve.md, Parents; ThetaEvolve).
import { describe, expect, it } from 'vitest';
import { drawPriorPrograms } from '../../../evolution/context/prior-programs.ts';
import { thetaDefaults } from '../../../evolution/methods/theta.ts';
import { emptyPopulation, loadPopulation, type Population, rowsOf } from '../../../evolution/population/population.ts';
import { rng } from '../../../evolution/rng.ts';
import { type Branch, type Drawing, drawParents } from '../../../evolution/selection/selection.ts';
import { ARCHIVE } from '../../../evolution/types.ts';
import { expectUniform } from '../../support/domain/chi-square.ts';
import { grown, initial, runWorld, settingsOf, valid } from '../../support/worlds/populations.ts';

const world = settingsOf({ cap: 60, archive: 20, islands: 4 });
const population = runWorld(world, 21, 12, () => {});
const draw = (change: Partial<Drawing> = {}) =>
  drawParents({
    population,
    step: 1,
    batch: 32,
    seed: 42,
    settings: { population: population.settings, selection: { ...thetaDefaults.selection, archiveShare: 1 } },
    ...change,
  });

describe('parent sampling', () => {
  it('ThetaEvolve 1: 20,000 draws take the branches 0.2 / 0.6 / 0.2 within 0.01, and each branch is uniform', () => {
    const draws = Array.from({ length: 200 }, (_, step) => draw({ step: step + 1, batch: 100 })).flatMap(
      (groups, step) => groups.map((group, index) => ({ ...group, turn: (step * 100 + index) % 4 })),
    );
    const share = (branch: Branch) => draws.filter((group) => group.branch === branch).length / draws.length;
    expect(Math.abs(share('island') - 0.2)).toBeLessThan(0.01);
    expect(Math.abs(share('archive') - 0.6)).toBeLessThan(0.01);
    expect(Math.abs(share('population') - 0.2)).toBeLessThan(0.01);
    for (const island of population.islands.keys()) {
      const drawn = (branch: Branch) =>
        draws.filter((group) => group.turn === island && group.branch === branch).map((group) => group.parent);
      const members = population.islands[island]!.byId;
      const archived = population.archive.byBirth.filter((member) => members.has(member.id)).map((member) => member.id);
      expectUniform(drawn('island'), [...members.keys()]);
      expectUniform(drawn('archive'), archived.length > 0 ? archived : [...population.archive.byId.keys()]);
    }
    expectUniform(
      draws.filter((group) => group.branch === 'population').map((group) => group.parent),
      [...population.members.keys()],
    );
  });

  it('archiveShare: parents from the archive are the best of so large a part of their island, at least one', () => {
    const young = grown(settingsOf({ islands: 1, archive: 100, map: 'none' }, { interval: 1000 }), [
      Array.from({ length: 11 }, (_, slot) => valid(1, slot, slot)),
    ]);
    const best = young.all.worstFirst.toReversed().map(({ id }) => id);
    const exploited = (archiveShare: number) =>
      draw({
        population: young,
        batch: 4_000,
        settings: {
          population: young.settings,
          selection: { ...thetaDefaults.selection, exploration: 0, exploitation: 1, archiveShare },
        },
      }).map(({ parent }) => parent);
    for (const [share, count] of [
      [0, 1],
      [0.1, 1],
      [0.2, 2],
      [0.5, 6],
      [1, 12],
    ] as const)
      expect(new Set(exploited(share))).toEqual(new Set(best.slice(0, count)));
  });

  it('without a member of the archive on the island, they are the best of all', () => {
    const settings = settingsOf({ islands: 2, archive: 4, map: 'none' }, { interval: 1000 });
    const two = grown(settings, [Array.from({ length: 9 }, (_, slot) => valid(1, slot, 1 + slot, { island: 1 }))]);
    const selection = { ...thetaDefaults.selection, exploration: 0, exploitation: 1, archiveShare: 0.2 };
    const groups = draw({ population: two, batch: 40, settings: { population: two.settings, selection } });
    expect(new Set(groups.filter((_, group) => group % 2 === 0).map(({ parent }) => parent))).toEqual(
      new Set([valid(1, 8, 0).id, valid(1, 7, 0).id]),
    );
  });

  it('ThetaEvolve 2: the islands of any K consecutive groups are all different, also across a step boundary', () => {
    // With every program on every island, a parent counts with its group's island.
    const everywhere = grown(settingsOf({ islands: 7 }));
    const islands = [1, 2, 3, 4, 5]
      .flatMap((step) =>
        drawParents({
          population: everywhere,
          step,
          batch: 5,
          seed: 1,
          settings: { population: everywhere.settings, selection: thetaDefaults.selection },
        }),
      )
      .map((group) => group.island);
    for (let first = 0; first + 7 <= islands.length; first++)
      expect(new Set(islands.slice(first, first + 7)).size).toBe(7);
    expect(islands[0]).toBe(0);
  });

  it("a parent found outside the group's island counts with its home island; the initial program is inside everywhere", () => {
    for (const [index, { parent, island }] of draw({ batch: 400 }).entries()) {
      const inside = population.islands[index % 4]!.byId.has(parent);
      expect(island).toBe(inside ? index % 4 : population.members.get(parent)!.home);
      expect(population.islands[island]!.byId.has(parent)).toBe(true);
    }
  });

  it('an archive without a member on the island is drawn from as a whole', () => {
    const settings = settingsOf({ islands: 2, archive: 1, bins: 1 }, { interval: 1000 });
    const two = grown(settings, [[valid(1, 0, 0.9, { island: 1 })]]);
    const groups = drawParents({
      population: two,
      step: 1,
      batch: 40,
      seed: 5,
      settings: {
        population: settings.population,
        selection: { ...thetaDefaults.selection, exploration: 0, exploitation: 1 },
      },
    });
    expect(new Set(groups.map((group) => group.parent))).toEqual(new Set([valid(1, 0, 0).id]));
    expect(new Set(groups.map((group) => group.island))).toEqual(new Set([1]));
  });

  it('without any member of the archive the island is drawn from', () => {
    const { memberships, cells } = rowsOf(population);
    const archiveless = loadPopulation(
      world.population,
      memberships.filter((row) => row.island !== ARCHIVE),
      cells,
      population.state,
    );
    const groups = draw({ population: archiveless });
    expect(groups.some((group) => group.branch === 'archive')).toBe(false);
    expect(groups.length).toBe(32);
  });

  it('depends on seed, step and group alone: a longer batch begins with the same parents where islands agree', () => {
    expect(draw()).toEqual(draw());
    expect(draw({ batch: 64 }).slice(0, 32)).toEqual(draw({ batch: 32 }));
    expect(draw({ seed: 43 })).not.toEqual(draw());
    expect(draw({ step: 2 })).not.toEqual(draw());
  });

  it('samplingIsland current: every group takes the one island, which turns every 100 insertions', () => {
    const settings = settingsOf({ islands: 3, samplingIsland: 'current', childIsland: 'current' }, { interval: 1000 });
    const island = (children: number) => {
      const one = grown(settings, [Array.from({ length: children }, (_, slot) => valid(1, slot, 0.1 + slot / 1e4))]);
      const groups = drawParents({
        population: one,
        step: 2,
        batch: 30,
        seed: 1,
        settings: {
          population: settings.population,
          selection: { ...thetaDefaults.selection, exploration: 1, exploitation: 0 },
        },
      });
      return [...new Set(groups.map((group) => group.island))];
    };
    expect([99, 100, 199, 200, 300].map(island)).toEqual([[0], [1], [1], [2], [0]]);
  });

  it('an empty population is an error that says what to do', () => {
    expect(() => draw({ population: emptyPopulation(world.population) })).toThrow(/valid initial program/);
  });
});

describe('prior programs', () => {
  const prior = (count: number, seed = 1, of: Population = population) => {
    const parent = of.islands[2]!.byBirth.at(-1)!;
    return {
      parent,
      shown: drawPriorPrograms({
        population: of,
        parent: parent.id,
        island: 2,
        count,
        eliteRatio: 0.3,
        settings: of.settings,
        seed: 42,
        rng: rng(seed),
      }),
    };
  };

  it("come from the parent's island, never the parent, never twice", () => {
    for (let seed = 0; seed < 50; seed++) {
      const { parent, shown } = prior(8, seed);
      expect(shown).toHaveLength(8);
      expect(new Set(shown).size).toBe(8);
      expect(shown).not.toContain(parent.id);
      for (const id of shown) expect(population.islands[2]!.byId.has(id)).toBe(true);
    }
  });

  it("begin with the island's best, then its top max(1, floor(0.3 k))", () => {
    const { parent, shown } = prior(10);
    const best = [...population.islands[2]!.byBirth]
      .sort((a, b) => b.fit - a.fit || a.bornSeq - b.bornSeq)
      .slice(0, 3)
      .filter((member) => member.id !== parent.id);
    expect(shown.slice(0, best.length)).toEqual(best.map((member) => member.id));
  });

  it('are fewer where the island has fewer, and none when none are asked for', () => {
    expect(prior(5, 1, grown(settingsOf({ islands: 3 }))).shown).toEqual([]);
    expect(prior(0).shown).toEqual([]);
    expect(prior(1000).shown).toHaveLength(population.islands[2]!.byBirth.length - 1);
    expect(initial().id).toBeTruthy();
  });
});
