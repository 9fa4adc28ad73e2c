// What is shown beside the parent: elites, diverse nodes, inspirations, the best ever (DeltaEvolve and CodeEvolve).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spaceOf } from '../../../evolution/archives/cell-space.ts';
import type { PopulationSettings, PromptSettings, SelectionSettings } from '../../../evolution/config/run-config.ts';
import { type ContextOf, contextsOf, type Shown } from '../../../evolution/context/context.ts';
import { drawPriorPrograms } from '../../../evolution/context/prior-programs.ts';
import { thetaDefaults } from '../../../evolution/methods/theta.ts';
import { loadPopulation, mapOf, type Population, rowsOf } from '../../../evolution/population/population.ts';
import { rng } from '../../../evolution/rng.ts';
import { isFailureFit } from '../../../evolution/scoring/failures.ts';
import { drawParents } from '../../../evolution/selection/selection.ts';
import type { Member, ProgramId } from '../../../evolution/types.ts';
import { expectShares, expectUniform } from '../../support/domain/chi-square.ts';
import {
  failed,
  grown,
  initial,
  runWorld,
  settingsOf,
  valid,
  type WorldSettings,
} from '../../support/worlds/populations.ts';

type Asked = Partial<PromptSettings> & {
  readonly pool?: SelectionSettings['pool'];
  readonly kind?: SelectionSettings['kind'];
};
const contextOf = (
  population: Population,
  asked: Asked,
  group: Omit<ContextOf, 'group'> & { group?: number },
): readonly Shown[] => {
  const { pool = 'cells', kind = 'rank', ...prompt } = asked;
  const contexts = contextsOf({
    population,
    // The laws of draws hold for all members; in the common frame the initial program leaves.
    prompt: { ...thetaDefaults.prompt, frame: 'paper', ...prompt },
    settings: population.settings,
    selection: { pool, kind },
    seed: 42,
    step: 3,
  });
  return contexts({ group: 0, ...group });
};
const idsOf = (shown: readonly Shown[], role?: Shown['role']): ProgramId[] =>
  shown.filter((one) => role === undefined || one.role === role).map(({ id }) => id);
const merit = (a: Member, b: Member): number => b.fit - a.fit || a.bornSeq - b.bornSeq;
const bestFirst = (members: Iterable<Member>): Member[] => [...members].sort(merit);

const islands = 3;
const settings = settingsOf({ cap: 70, archive: 20, islands });
const world = runWorld(settings, 21, 12, () => {});
const parentOn = (population: Population, island: number, index = -1) => ({
  parent: population.islands[island]!.byBirth.at(index)!.id,
  island,
});
const elites = (population: Population, island: number): Member[] =>
  [...(mapOf(population.maps, island)?.cells.values() ?? [])].filter(({ id }) =>
    population.islands[island]!.byId.has(id),
  );

describe('prior programs', () => {
  it('alone are what they were before there was anything else, from the same stream', () => {
    for (let group = 0; group < 40; group++) {
      const of = parentOn(world, group % islands);
      const prior = drawPriorPrograms({
        population: world,
        ...of,
        count: 6,
        eliteRatio: 0.3,
        settings: world.settings,
        seed: 42,
        rng: rng(42, 'prior', 3, group),
      });
      expect(contextOf(world, { priorPrograms: 6 }, { ...of, group })).toEqual(
        prior.map((id) => ({ id, role: 'prior' })),
      );
      const more = contextOf(
        world,
        { priorPrograms: 6, elites: 3, diverse: 2, inspirations: 2, bestEver: true },
        { ...of, group },
      );
      expect(idsOf(more.slice(0, 6))).toEqual(prior);
    }
  });
  it('nothing is shown when nothing is asked for, nor to a seed program', () => {
    expect(contextOf(world, {}, parentOn(world, 1))).toEqual([]);
    expect(
      contextOf(
        world,
        { priorPrograms: 3, elites: 3, diverse: 2, inspirations: 2, bestEver: true },
        { ...parentOn(world, 1), branch: 'initialisation' },
      ),
    ).toEqual([]);
  });
});

describe('elites', () => {
  it('DeltaEvolve 9: are the best valid ones of the scope, ties to the older, without the parent; the next rank takes a freed place', () => {
    for (const scope of ['island', 'run'] as const) {
      for (const island of world.islands.keys()) {
        const ranked = bestFirst((scope === 'run' ? world.all : world.islands[island]!).byBirth);
        for (const parent of [ranked[0]!, ranked[2]!, ranked.at(-1)!]) {
          // The root has no delta to show: the method hides it.
          for (const hidden of [new Set<ProgramId>(), new Set([initial().id, ranked[1]!.id])]) {
            const expected = ranked
              .filter(({ id }) => id !== parent.id && !hidden.has(id))
              .slice(0, 3)
              .map(({ id }) => id);
            expect(
              idsOf(contextOf(world, { elites: 3, scope }, { parent: parent.id, island, hidden }), 'elite'),
            ).toEqual(expected);
          }
        }
      }
    }
  });
  it('are not the programs shown already', () => {
    const shown = contextOf(world, { priorPrograms: 5, elites: 4 }, parentOn(world, 0));
    const prior = idsOf(shown, 'prior');
    const expected = bestFirst(world.islands[0]!.byBirth)
      .filter(({ id }) => id !== parentOn(world, 0).parent && !prior.includes(id))
      .slice(0, 4);
    expect(idsOf(shown, 'elite')).toEqual(expected.map(({ id }) => id));
  });
  it('are fewer where there are fewer', () => {
    expect(
      contextOf(
        grown(settings),
        { elites: 3, diverse: 2, inspirations: 2, bestEver: true },
        { parent: initial().id, island: 0 },
      ),
    ).toEqual([]);
  });
});

describe('diverse nodes', () => {
  const far: readonly (readonly [string, WorldSettings])[] = [
    ['a grid per island', settings],
    ['one grid for all', settingsOf({ cap: 70, archive: 20, islands, grid: 'global' })],
    ['a tessellation', settingsOf({ cap: 70, archive: 20, islands, map: 'cvt', cells: 15 })],
  ];
  it.each(far)(
    'DeltaEvolve 11: %s: no unchosen eligible cell lies farther than a chosen one; farthest first, then the better, then the older',
    (_, of) => {
      const population = runWorld(of, 4, 12, () => {});
      const space = spaceOf(of.population, 42)!;
      const { state } = population;
      for (const scope of ['island', 'run'] as const) {
        for (const [island, { byBirth }] of population.islands.entries()) {
          for (const parent of byBirth.slice(0, 12)) {
            const home = space.cellOf(parent, state)!;
            const distance = (member: Member): number => space.distance(home, space.cellOf(member, state)!);
            const all =
              scope === 'run'
                ? [...new Set(population.maps.flatMap(({ cells }) => [...cells.values()]))]
                : elites(population, island);
            const expected = all
              .filter(({ id }) => id !== parent.id)
              .sort((a, b) => distance(b) - distance(a) || merit(a, b))
              .slice(0, 4);
            expect(idsOf(contextOf(population, { diverse: 4, scope }, { parent: parent.id, island }))).toEqual(
              expected.map(({ id }) => id),
            );
          }
        }
      }
    },
  );

  const uniformly = (
    population: Population,
    asked: Asked,
    group: { parent: ProgramId; island: number },
    from: readonly Member[],
  ): void => {
    const contexts = contextsOf({
      population,
      prompt: { ...thetaDefaults.prompt, ...asked },
      settings: population.settings,
      selection: thetaDefaults.selection,
      seed: 1,
      step: 1,
    });
    const shown = Array.from({ length: 6000 }, (_, index) => contexts({ ...group, group: index }).map(({ id }) => id));
    const eligible = from.map(({ id }) => id).filter((id) => id !== group.parent);
    expect(eligible.length).toBeGreaterThan(2);
    for (const ids of shown.slice(0, 200)) expect(new Set(ids).size).toBe(2);
    for (const place of [0, 1])
      expectUniform(
        shown.map((ids) => ids[place]!),
        eligible,
      );
  };
  it('random-cell: every elite alike, two different ones', () => {
    uniformly(world, { diverse: 2, diverseBy: 'random-cell' }, parentOn(world, 1), elites(world, 1));
    uniformly(world, { diverse: 2, diverseBy: 'random-cell', scope: 'run' }, parentOn(world, 1), [
      ...new Set(world.maps.flatMap(({ cells }) => [...cells.values()])),
    ]);
  });
  it('a queue knows no distance: at random', () => {
    const queue = runWorld(settingsOf({ cap: 70, archive: 20, islands, map: 'queue', cells: 9 }), 4, 12, () => {});
    uniformly(queue, { diverse: 2 }, parentOn(queue, 1), elites(queue, 1));
  });
  it('a parent without a cell: at random', () => {
    const measured = settingsOf({ islands: 1, features: ['score', 'metric:depth'] }, { interval: 1000 });
    const first = initial();
    const children = Array.from({ length: 8 }, (_, slot) => valid(1, slot, slot / 8, { values: [null, slot] }));
    const cellless = grown(measured, [children, [valid(2, 0, 9, { values: [null, null] })]], {
      ...first,
      values: [null, null],
    });
    uniformly(cellless, { diverse: 2 }, { parent: valid(2, 0, 9).id, island: 0 }, elites(cellless, 0));
    expect(elites(cellless, 0).length).toBeLessThan(10);
  });
  it('without a map there are none', () => {
    const none = runWorld(settingsOf({ islands, map: 'none' }), 4, 5, () => {});
    expect(contextOf(none, { diverse: 4 }, parentOn(none, 1))).toEqual([]);
  });
});

describe('inspirations', () => {
  const few = grown(
    settingsOf({ islands: 1 }, { interval: 1000 }),
    [[3, 9, 5, 7, 1].map((fit, slot) => valid(1, slot, fit))],
    initial(2),
  );
  const ranked = bestFirst(few.members.values());
  const pairs = (by: PromptSettings['inspirationsBy'], parent: Member) => {
    const contexts = contextsOf({
      population: few,
      prompt: { ...thetaDefaults.prompt, frame: 'paper', inspirations: 2, inspirationsBy: by },
      settings: few.settings,
      selection: { kind: 'rank', pool: 'island' },
      seed: 5,
      step: 2,
    });
    return Array.from({ length: 30_000 }, (_, group) =>
      contexts({ parent: parent.id, island: 0, group })
        .map(({ id }) => id)
        .join(' '),
    );
  };
  it('in the common frame the initial program is none of them once there are enough others; it can be the best', () => {
    const [parent] = ranked;
    const shown = (prompt: Partial<PromptSettings>) =>
      idsOf(contextOf(few, { frame: 'common', pool: 'island', ...prompt }, { parent: parent!.id, island: 0 }));
    for (const asked of [{ inspirations: 4 }, { elites: 2, inspirations: 2 }, { priorPrograms: 4 }])
      expect([shown(asked).length, shown(asked).includes(initial().id)]).toEqual([4, false]);
    expect(shown({ inspirations: 5 })).toContain(initial().id);
    const alone = grown(settingsOf({ islands: 1 }), [[valid(1, 0, 1), valid(1, 1, 2)]], initial(9));
    expect(
      contextOf(alone, { frame: 'common', elites: 1, bestEver: true }, { parent: valid(1, 0, 1).id, island: 0 }),
    ).toEqual([
      { id: valid(1, 1, 2).id, role: 'elite' },
      { id: initial().id, role: 'best' },
    ]);
  });
  /** Of ordered pairs drawn one by one without replacement. */
  const law = (weight: (rank: number) => number, parent: Member): ReadonlyMap<string, number> => {
    const others = ranked
      .map((member, index) => ({ member, w: weight(index + 1) }))
      .filter(({ member }) => member !== parent);
    const total = others.reduce((sum, { w }) => sum + w, 0);
    return new Map(
      others.flatMap((a) =>
        others
          .filter((b) => b !== a)
          .map((b) => [`${a.member.id} ${b.member.id}`, ((a.w / total) * b.w) / (total - a.w)] as const),
      ),
    );
  };
  it.each([0, 2])(
    'draws follow 1/r without replacement, ranks counted in the whole pool (parent of rank index %i)',
    (index) =>
      expectShares(
        pairs('rank', ranked[index]!),
        law((rank) => 1 / rank, ranked[index]!),
      ),
  );
  it('or the uniform law', () =>
    expectShares(
      pairs('uniform', ranked[1]!),
      law(() => 1, ranked[1]!),
    ));

  const pools = ['island', 'cells', 'archive', 'population'] as const;
  const poolOf = (pool: SelectionSettings['pool'], island: number): readonly Member[] =>
    ({
      island: world.islands[island]!.byBirth,
      population: world.all.byBirth,
      cells: elites(world, island),
      archive: world.archive.byBirth.filter(({ id }) => world.islands[island]!.byId.has(id)),
    })[pool];
  it.each(pools)('CodeEvolve 3, 9: from the pool %s: min(count, pool - 1) distinct ones, never the parent', (pool) => {
    for (const inspirationsBy of ['rank', 'uniform'] as const) {
      for (const island of world.islands.keys()) {
        const from = poolOf(pool, island);
        for (const parent of from.slice(0, 5)) {
          for (const inspirations of [1, 3, 100]) {
            const ids = idsOf(
              contextOf(world, { inspirations, inspirationsBy, pool }, { parent: parent.id, island }),
              'inspiration',
            );
            expect(ids).toHaveLength(Math.min(inspirations, from.length - 1));
            expect(new Set(ids).size).toBe(ids.length);
            expect(ids).not.toContain(parent.id);
            for (const id of ids) expect(from.some((member) => member.id === id)).toBe(true);
          }
        }
      }
    }
  });
  it('with the mixture: from the cell elites, from the island where there are none', () => {
    expect(contextOf(world, { inspirations: 100, kind: 'mixture', pool: 'population' }, parentOn(world, 1))).toEqual(
      contextOf(world, { inspirations: 100 }, parentOn(world, 1)),
    );
    const none = runWorld(settingsOf({ islands, map: 'none' }), 4, 5, () => {});
    expect(contextOf(none, { inspirations: 100, kind: 'mixture' }, parentOn(none, 1))).toHaveLength(
      none.islands[1]!.byBirth.length - 1,
    );
  });
  it('differ from group to group, and are the same again for the same group', () => {
    const draw = (group: number) => contextOf(world, { inspirations: 3 }, { ...parentOn(world, 1), group });
    expect(draw(1)).toEqual(draw(1));
    expect(new Set(Array.from({ length: 20 }, (_, group) => JSON.stringify(draw(group)))).size).toBeGreaterThan(10);
  });
});

describe('the best ever', () => {
  it('comes last, where it is neither the parent nor shown already; dead or alive', () => {
    const best = world.state.best!.id;
    const parent = bestFirst(world.islands[0]!.byBirth).findLast(({ id }) => id !== best)!.id;
    expect(contextOf(world, { bestEver: true }, { parent, island: 0 })).toEqual([{ id: best, role: 'best' }]);
    expect(contextOf(world, { bestEver: true }, { parent: best, island: world.members.get(best)!.home })).toEqual([]);
    expect(contextOf(world, { bestEver: true, elites: 1, scope: 'run' }, { parent, island: 0 })).toEqual([
      { id: best, role: 'elite' },
    ]);
    const { memberships, cells, tallies } = rowsOf(world);
    const later = loadPopulation(
      world.settings,
      memberships,
      cells,
      { ...world.state, best: { id: 'dead', fit: 99 } },
      tallies,
    );
    expect(contextOf(later, { bestEver: true, inspirations: 2 }, { parent, island: 0 }).at(-1)).toEqual({
      id: 'dead',
      role: 'best',
    });
  });
});

describe('every context', () => {
  const prompts = fc.record({
    priorPrograms: fc.integer({ min: 0, max: 4 }),
    elites: fc.integer({ min: 0, max: 5 }),
    diverse: fc.integer({ min: 0, max: 4 }),
    inspirations: fc.integer({ min: 0, max: 5 }),
    diverseBy: fc.constantFrom('far-cells' as const, 'random-cell' as const),
    inspirationsBy: fc.constantFrom('rank' as const, 'uniform' as const),
    scope: fc.constantFrom('island' as const, 'run' as const),
    bestEver: fc.boolean(),
    pool: fc.constantFrom('island' as const, 'cells' as const, 'archive' as const, 'population' as const),
    kind: fc.constantFrom('mixture' as const, 'rank' as const),
  });
  const populations: fc.Arbitrary<Partial<PopulationSettings>> = fc.record({
    map: fc.constantFrom('grid' as const, 'cvt' as const, 'queue' as const, 'none' as const),
    grid: fc.constantFrom('island' as const, 'global' as const),
    islands: fc.integer({ min: 1, max: 4 }),
    admitFailures: fc.boolean(),
    cap: fc.integer({ min: 6, max: 60 }),
    cells: fc.integer({ min: 1, max: 20 }),
  });
  const order: readonly Shown['role'][] = ['prior', 'elite', 'diverse', 'inspiration', 'best'];

  it('DeltaEvolve 10: shows nobody twice, never the parent, never a failure but as a prior program, in the order of the roles; the same whether the population was loaded or grown', () => {
    fc.assert(
      fc.property(populations, prompts, fc.integer({ min: 0, max: 1e6 }), (population, asked, seed) => {
        const of = settingsOf({ archive: 5, ...population });
        const now = runWorld(of, seed, 4, () => {});
        const { memberships, cells, tallies } = rowsOf(now);
        const loaded = loadPopulation(now.settings, memberships.toReversed(), cells.toReversed(), now.state, tallies);
        for (const [group, draw] of drawParents({ population: now, step: 5, batch: 6, seed, settings: of }).entries()) {
          const shown = contextOf(now, asked, { ...draw, group });
          expect(contextOf(loaded, asked, { ...draw, group })).toEqual(shown);
          const ids = idsOf(shown);
          expect(new Set(ids).size).toBe(ids.length);
          expect(ids).not.toContain(draw.parent);
          for (const { id, role } of shown) {
            if (role !== 'best') expect(now.members.has(id)).toBe(true);
            if (role !== 'prior') expect(isFailureFit(now.members.get(id)?.fit ?? 0)).toBe(false);
          }
          expect(shown.map(({ role }) => order.indexOf(role))).toEqual(
            shown.map(({ role }) => order.indexOf(role)).sort((a, b) => a - b),
          );
        }
      }),
      { numRuns: 120, seed: 23 },
    );
  });

  it('with failures only, there is nobody to show', () => {
    const failures = grown(
      settingsOf({ islands: 1, admitFailures: true }),
      [[0, 1, 2].map((slot) => failed(1, slot, 'invalid', { length: 100 + 50 * slot }))],
      failed(0, 0, 'invalid', { parent: null }),
    );
    expect(failures.members.size).toBe(4);
    expect(
      contextOf(
        failures,
        { elites: 3, diverse: 3, inspirations: 3, bestEver: true, pool: 'island' },
        parentOn(failures, 0),
      ),
    ).toEqual([]);
  });
});
