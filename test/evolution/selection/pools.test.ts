// The pool of cells and the initialisation of islands (CodeEvolve 4.2, 4.4; CodeEvolve 7 to 9, 22).
import { describe, expect, it } from 'vitest';
import type { PopulationSettings, SelectionSettings } from '../../../evolution/config/run-config.ts';
import { thetaDefaults } from '../../../evolution/methods/theta.ts';
import { loadPopulation, mapOf, type Population, rowsOf } from '../../../evolution/population/population.ts';
import { isFailureFit } from '../../../evolution/scoring/failures.ts';
import { drawParents, type ParentDraw } from '../../../evolution/selection/selection.ts';
import { expectShares, expectUniform } from '../../support/domain/chi-square.ts';
import { failed, grown, initial, runWorld, settingsOf, valid } from '../../support/worlds/populations.ts';

const islands = 4;
const drawsOf = (
  population: Population,
  selection: Partial<SelectionSettings>,
  { batch = 20_000, step = 1, seed = 42 } = {},
): readonly ParentDraw[] =>
  drawParents({
    population,
    step,
    batch,
    seed,
    settings: { population: population.settings, selection: { ...thetaDefaults.selection, ...selection } },
  });
const byTurn = (draws: readonly ParentDraw[], island: number) => draws.filter((_, group) => group % islands === island);

describe('the pool of cells', () => {
  const kinds: readonly (readonly [string, Partial<PopulationSettings>])[] = [
    ['a grid per island', {}],
    ['one grid for all', { grid: 'global' }],
    ['a tessellation', { map: 'cvt', cells: 12 }],
    ['a queue', { map: 'queue', cells: 7 }],
  ];
  it.each(kinds)(
    "CodeEvolve 9: %s: the cell elites on the group's island, each of them; by rank as 1/r",
    (_, change) => {
      const world = runWorld(settingsOf({ cap: 60, archive: 20, islands, ...change }), 21, 12, () => {});
      const uniform = drawsOf(world, { kind: 'uniform', pool: 'cells' });
      const ranked = drawsOf(world, { kind: 'rank', pool: 'cells' });
      for (const island of world.islands.keys()) {
        const elites = [...mapOf(world.maps, island)!.cells.values()].filter(({ id }) =>
          world.islands[island]!.byId.has(id),
        );
        if (elites.length < 2) continue;
        expectUniform(
          byTurn(uniform, island).map(({ parent }) => parent),
          elites.map(({ id }) => id),
        );
        elites.sort((a, b) => b.fit - a.fit || a.bornSeq - b.bornSeq);
        expectShares(
          byTurn(ranked, island).map(({ parent }) => parent),
          new Map(elites.map(({ id }, index) => [id, 1 / (index + 1)])),
        );
        expect(new Set(byTurn(ranked, island).map(({ branch }) => branch))).toEqual(new Set(['cells']));
        expect(byTurn(ranked, island).every((draw) => draw.island === island)).toBe(true);
      }
    },
  );

  it('without a map, and without an elite on the island: the members of the island', () => {
    const mapless = runWorld(settingsOf({ cap: 60, archive: 20, islands, map: 'none' }), 21, 12, () => {});
    const queue = runWorld(
      settingsOf({ cap: 60, archive: 20, islands, map: 'queue', cells: 1, grid: 'global' }),
      21,
      12,
      () => {},
    );
    for (const world of [mapless, queue]) {
      const draws = drawsOf(world, { kind: 'uniform', pool: 'cells' });
      const elite = [...(world.maps[0]?.cells.values() ?? [])][0];
      for (const [island, { byId }] of world.islands.entries()) {
        if (elite !== undefined && byId.has(elite.id)) continue;
        expectUniform(
          byTurn(draws, island).map(({ parent }) => parent),
          [...byId.keys()],
        );
        expect(new Set(byTurn(draws, island).map(({ branch }) => branch))).toEqual(new Set(['island']));
      }
    }
  });

  it('CodeEvolve 8: with every valid score below 0, no failure is drawn, though it owns a cell', () => {
    const settings = settingsOf({ islands: 1, admitFailures: true, cap: 1000 }, { interval: 1000 });
    const world = grown(
      settings,
      [
        [-5, -1e300, -7].map((fit, slot) => valid(1, slot, fit, { length: 50 * slot + 10 })),
        [failed(2, 0, 'invalid', { length: 150 }), failed(2, 1, 'no_diff', { length: 90 })],
      ]
        .flat()
        .map((child) => [child]),
      initial(-3),
    );
    expect([...world.maps[0]!.cells.values()].some(({ fit }) => isFailureFit(fit))).toBe(true);
    for (const kind of ['uniform', 'rank', 'roulette', 'tournament', 'sigmoid', 'puct'] as const) {
      const parents = drawsOf(world, { kind, pool: 'cells' }, { batch: 2000 }).map(({ parent }) =>
        world.members.get(parent)!,
      );
      expect(parents.some(({ fit }) => isFailureFit(fit))).toBe(false);
    }
  });
});

describe('initialisation', () => {
  const initialisation = 5;
  const settings = settingsOf({ islands, initialisation, cap: 200 }, { interval: 1000 });
  const first = initial();
  /** Islands with this many members, the initial program included. */
  const withSizes = (...sizes: readonly number[]): Population =>
    grown(
      settings,
      [
        sizes
          .flatMap((size, island) => Array.from({ length: size - 1 }, (_, index) => ({ island, index })))
          .map(({ island, index }, slot) => valid(1, slot, index / 7, { island, parent: first.id, founder: true })),
      ],
      first,
    );

  it('an island with fewer members gets the initial program, and its children enter there', () => {
    const world = withSizes(1, 4, 5, 9);
    const draws = drawsOf(world, {}, { batch: 400 });
    for (const island of [0, 1])
      expect(new Set(byTurn(draws, island).map((draw) => JSON.stringify(draw)))).toEqual(
        new Set([JSON.stringify({ parent: first.id, island, branch: 'initialisation' })]),
      );
    for (const island of [2, 3]) {
      expect(byTurn(draws, island).every(({ branch }) => branch !== 'initialisation')).toBe(true);
      expect(new Set(byTurn(draws, island).map(({ parent }) => parent)).size).toBeGreaterThan(3);
    }
  });

  it.each(['uniform', 'rank', 'puct', 'sigmoid', 'best'] as const)(
    '%s: groups of islands that are initialised draw as if there were no initialisation',
    (kind) => {
      const world = withSizes(5, 6, 7, 8);
      const uninitialised = loadPopulation(
        { ...world.settings, initialisation: 1 },
        rowsOf(world).memberships,
        rowsOf(world).cells,
        world.state,
        world.tallies.values(),
      );
      expect(drawsOf(world, { kind }, { batch: 100 })).toEqual(drawsOf(uninitialised, { kind }, { batch: 100 }));
    },
  );

  it('initialisation 1 is none: the initial program is there already', () => {
    const world = grown(settingsOf({ islands, initialisation: 1 }));
    expect(drawsOf(world, {}, { batch: 40 }).some(({ branch }) => branch === 'initialisation')).toBe(false);
  });

  it('should the initial program be dead, the oldest alive takes its place', () => {
    const { memberships, cells } = rowsOf(withSizes(2, 1, 1, 1));
    const left = memberships.filter(({ id }) => id !== first.id);
    const world = loadPopulation(
      settings.population,
      left,
      cells.filter(({ program }) => program !== first.id),
      { bounds: null, generations: [0, 0, 0, 0], lastMigration: 0, size: 1, best: null },
    );
    expect(drawsOf(world, {}, { batch: 4 })).toEqual(
      [0, 1, 2, 3].map((island) => ({ parent: left[0]!.id, island, branch: 'initialisation' })),
    );
  });
});

describe('independence', () => {
  it.each(['mixture', 'uniform', 'rank', 'power', 'tournament', 'roulette', 'sigmoid'] as const)(
    'CodeEvolve 22: %s draws different parents on islands with equal populations',
    (kind) => {
      const settings = settingsOf({ islands: 2, cap: 200 }, { interval: 1 });
      const children = Array.from({ length: 12 }, (_, slot) =>
        valid(1, slot, slot, { island: slot % 2, length: 100 + slot }),
      );
      const rows = rowsOf(grown(settings, [children]));
      const everywhere = [...new Map(rows.memberships.map((row) => [row.id, row])).values()].flatMap((row) => [
        { ...row, island: 0 },
        { ...row, island: 1 },
      ]);
      const world = loadPopulation(settings.population, everywhere, [], {
        bounds: null,
        generations: [0, 0],
        lastMigration: 0,
        size: 13,
        best: null,
      });
      const parents = drawsOf(world, { kind }, { batch: 60 }).map(({ parent }) => parent);
      const on = (island: number) => parents.filter((_, group) => group % 2 === island);
      expect(on(0)).not.toEqual(on(1));
      expect(on(0).filter((parent, turn) => parent === on(1)[turn]).length).toBeLessThan(20);
    },
  );
});
