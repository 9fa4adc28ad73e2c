// Every archive in runs of random steps, with every style of migration and eviction: what is stored is what there is,
// and what there is keeps the laws of archives, islands and tallies.
import { describe, expect, it } from 'vitest';
import { spaceOf } from '../../../evolution/archives/cell-space.ts';
import type {
  FeatureSettings,
  MigrationSettings,
  PopulationSettings,
  SelectionSettings,
} from '../../../evolution/config/run-config.ts';
import { commitStep } from '../../../evolution/population/insertion.ts';
import { applyChangeSet, emptyPopulation, type Population } from '../../../evolution/population/population.ts';
import { ARCHIVE, type Child, type Member, MIGRATED, type Tally } from '../../../evolution/types.ts';
import {
  admittedOf,
  childrenAt,
  expectSame,
  reloaded,
  runHistory,
  snapshotOf,
} from '../../support/engine/histories.ts';
import { grown, initial, settingsOf, valid, type WorldSettings } from '../../support/worlds/populations.ts';

const STEPS = 12;
const FEATURES: readonly FeatureSettings[] = [
  { name: 'score' },
  { name: 'metric:x', scale: 'quantile', bins: 3 },
  { name: 'metric:y', scale: 'log', min: 1, max: 22 },
];
const isBetter = (a: Member, b: Member): boolean => a.fit > b.fit || (a.fit === b.fit && a.bornSeq < b.bornSeq);

type Variant = {
  readonly map: PopulationSettings['map'];
  readonly grid: PopulationSettings['grid'];
  readonly style: MigrationSettings['style'];
  readonly kind: SelectionSettings['kind'];
};
const VARIANTS: readonly Variant[] = (['grid', 'cvt', 'queue', 'none'] as const).flatMap((map) =>
  (['island', 'global'] as const).flatMap((grid) =>
    (['top', 'once'] as const).map((style): Variant => ({
      map,
      grid,
      style,
      kind: (grid === 'island') === (style === 'top') ? 'sigmoid' : 'puct',
    })),
  ),
);

const worldsOf = ({ map, grid, style, kind }: Variant): readonly WorldSettings[] =>
  (['worst', 'protect-elites'] as const).map((eviction, index) =>
    settingsOf(
      {
        map,
        grid,
        eviction,
        islands: 3,
        cap: 70,
        archive: 8,
        bins: 3,
        cells: 9,
        protectElites: style === 'once',
        siblings: index === 0 ? null : 3,
        admitFailures: index === 0 && style === 'top',
        features: FEATURES.map(({ bins, ...feature }) =>
          map === 'grid' || feature.scale === 'quantile' ? { ...feature, bins } : feature,
        ),
      },
      {
        style,
        interval: style === 'top' ? 5 : 2,
        unit: style === 'top' ? 'children' : 'steps',
        topology: style === 'top' ? 'ring' : 'complete',
        rate: 0.3,
      },
      { kind },
    ),
  );

/** Tallies from the whole history, and the number of groups. */
class Recount {
  readonly #settings: WorldSettings;
  readonly #parents = new Map<string, string | null>();
  readonly #tallies = new Map<string, Tally>();
  groups = 0;

  constructor(settings: WorldSettings) {
    this.#settings = settings;
  }

  step(children: readonly Child[], population: Population): void {
    const isPuct = this.#settings.selection.kind === 'puct';
    for (const { id, parent, founder } of admittedOf(children, this.#settings))
      if (population.members.has(id)) this.#parents.set(id, founder ? null : parent);
    if (isPuct) for (const id of this.#parents.keys()) this.#add(id, {});
    const seen = new Set<string>();
    for (const { parent, slot, outcome, fit } of children) {
      if (parent === null) continue;
      this.#add(parent, { children: 1, ...(outcome === 'valid' ? { best: fit! } : {}) });
      const group = `${Math.floor(slot / this.#settings.responses)} ${parent}`;
      if (seen.has(group)) continue;
      seen.add(group);
      this.groups++;
      for (let id: string | null = parent; id !== null; id = isPuct ? (this.#parents.get(id) ?? null) : null)
        this.#add(id, { visits: 1 });
    }
  }

  get tallies(): readonly Tally[] {
    return [...this.#tallies.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  #add(
    id: string,
    { children = 0, visits = 0, best = null }: Partial<Pick<Tally, 'children' | 'visits' | 'best'>>,
  ): void {
    const parent = this.#settings.selection.kind === 'puct' ? (this.#parents.get(id) ?? null) : null;
    const tally = this.#tallies.get(id) ?? { id, parent, children: 0, visits: 0, best: null };
    this.#tallies.set(id, {
      ...tally,
      children: tally.children + children,
      visits: tally.visits + visits,
      best: best === null ? tally.best : Math.max(tally.best ?? best, best),
    });
  }
}

describe.each(VARIANTS)('$map, one $grid, migration $style, $kind', (variant) => {
  it('ThetaEvolve 3, 7: rows give the population back; a step computed again from them is the same to the byte; applied twice it changes nothing', () => {
    for (const [seed, settings] of worldsOf(variant).entries()) {
      const population = emptyPopulation(settings.population);
      for (let step = 0; step <= STEPS; step++) {
        const children = childrenAt(population, settings, step, seed);
        const copy = reloaded(population);
        expectSame(snapshotOf(copy), snapshotOf(population));
        const changeSet = commitStep({ population, children, step, settings });
        const written = JSON.stringify(changeSet);
        expect(JSON.stringify(commitStep({ population, children: [...children].reverse(), step, settings }))).toBe(
          written,
        );
        expect(JSON.stringify(commitStep({ population: copy, children, step, settings }))).toBe(written);
        applyChangeSet(population, changeSet);
        const once = snapshotOf(population);
        expectSame(snapshotOf(applyChangeSet(copy, JSON.parse(written))), once);
        expectSame(snapshotOf(applyChangeSet(population, JSON.parse(written))), once);
        for (const [index, roster] of [
          population.all,
          population.archive,
          population.migrated,
          ...population.islands,
        ].entries()) {
          const other = [copy.all, copy.archive, copy.migrated, ...copy.islands][index]!;
          expectSame([other.byBirth, other.worstFirst], [roster.byBirth, roster.worstFirst]);
        }
      }
    }
  });

  it('ThetaEvolve 6: 100 % of the programs alive are distinct; elites and archive members are alive where they count; the best never gets worse; a full archive is used', () => {
    for (const [seed, settings] of worldsOf(variant).entries()) {
      const { cap, cells: places, archive, islands } = settings.population;
      const space = spaceOf(settings.population, settings.seed);
      let best: Member | null = null;
      runHistory(settings, 10 + seed, STEPS, ({ population, children }) => {
        for (const { fit, outcome, id, sameAs } of children) {
          const one = { id, fit: fit!, bornSeq: children.find((child) => child.id === id)!.bornSeq } as Member;
          if (
            outcome === 'valid' &&
            sameAs === undefined &&
            admittedOf(children, settings).some((child) => child.id === id) &&
            (best === null || isBetter(one, best))
          )
            best = one;
        }
        expect(population.state.best).toEqual({ id: best!.id, fit: best!.fit });
        expect(population.members.has(best!.id)).toBe(true);

        const { memberships, cells } = snapshotOf(population);
        expect(new Set(memberships.filter(({ island }) => island >= 0).map(({ id }) => id)).size).toBe(
          population.state.size,
        );
        expect(new Set(memberships.map(({ island, id }) => `${island} ${id}`)).size).toBe(memberships.length);
        expect(population.state.size).toBeLessThanOrEqual(cap);
        for (const { island, id } of memberships)
          expect([island >= MIGRATED && island < islands, population.members.has(id)]).toEqual([true, true]);
        expect(memberships.filter(({ island }) => island === ARCHIVE).length).toBeLessThanOrEqual(archive);
        for (const { id } of population.migrated.byBirth)
          expect([variant.style, population.islands.filter(({ byId }) => byId.has(id)).length > 1]).toEqual([
            'once',
            true,
          ]);

        expect(new Set(cells.map(({ island, program }) => `${island} ${program}`)).size).toBe(cells.length);
        for (const { island, cell, program, fit } of cells) {
          const elite = population.members.get(program)!;
          expect(elite.fit).toBe(fit);
          expect(
            (variant.grid === 'global' ? population.islands : [population.islands[island]!]).some(({ byId }) =>
              byId.has(program),
            ),
          ).toBe(true);
          expect(cell).toBe(space === null ? program : space.cellOf(elite, population.state));
        }
        for (const map of population.maps) expect(map.cells.size).toBeLessThanOrEqual(space?.size ?? places);
      });
      expect(best).not.toBe(null);
    }
  });

  it('tallies are what a recount of the whole history gives', () => {
    for (const [seed, settings] of worldsOf(variant).entries()) {
      const recount = new Recount(settings);
      runHistory(settings, 20 + seed, STEPS, ({ children, population }) => {
        recount.step(children, population);
        expect(population.state.picks).toBe(recount.groups);
        // Of those who died in the step in which they were born there may be a tally, of nothing.
        const counted = snapshotOf(population).tallies.filter(
          ({ id, children, visits }) => population.members.has(id) || children + visits > 0,
        );
        const died = new Set(
          recount.tallies
            .filter(({ id, children, visits }) => !population.members.has(id) && children + visits === 0)
            .map(({ id }) => id),
        );
        expectSame(
          counted,
          recount.tallies.filter(({ id }) => !died.has(id)),
        );
      });
      expect(recount.tallies.some(({ visits }) => visits > 1)).toBe(true);
    }
  });
});

describe('cells that stay', () => {
  it.each(['grid', 'cvt', 'queue'] as const)(
    'CodeEvolve 14: %s: where nobody is evicted from it, a cell gets better elites only',
    (map) => {
      for (const grid of ['island', 'global'] as const) {
        const settings = settingsOf(
          {
            map,
            grid,
            eviction: 'protect-elites',
            cap: 120,
            islands: 3,
            bins: 4,
            cells: 12,
            features: [
              { name: 'length', min: 50, max: 250 },
              { name: 'metric:x', min: -2, max: 22 },
            ],
          },
          { style: 'once', topology: 'ring', unit: 'steps', interval: 1, rate: 0.5 },
        );
        let [before, changes] = [new Map<string, Member>(), 0];
        runHistory(settings, 31, 20, ({ population }) => {
          const now = new Map<string, Member>(
            population.maps.flatMap(({ cells }, island) =>
              map === 'queue'
                ? [...cells.values()]
                    .sort((a, b) => (isBetter(a, b) ? -1 : 1))
                    .map((elite, rank) => [`${island} ${rank}`, elite] as const)
                : [...cells].map(([cell, elite]) => [`${island} ${cell}`, elite] as const),
            ),
          );
          for (const [cell, elite] of before) {
            if (now.get(cell) === elite) continue;
            changes++;
            expect(isBetter(now.get(cell)!, elite)).toBe(true);
          }
          before = now;
        });
        expect(changes).toBeGreaterThan(20);
      }
    },
  );
});

describe('tallies', () => {
  const p = initial().id;
  const children = [
    valid(1, 0, 0.6, { parent: p }),
    valid(1, 1, 0.4, { parent: p }),
    { ...valid(1, 2, 0, { parent: p }), outcome: 'invalid' as const },
    valid(1, 6, -0, { parent: p, island: 1 }),
  ];
  const tallied = (
    selection: Partial<SelectionSettings>,
    steps: readonly (readonly Child[])[],
    population: Partial<PopulationSettings> = {},
  ) => {
    const { tallies, state } = grown(settingsOf({ islands: 2, ...population }, {}, selection), steps);
    return {
      picks: state.picks,
      tallies: [...tallies.values()].map(({ id, parent, children: made, visits, best }) => [
        Number(id.split(':')[1]) + Number(id.split(':')[3]) / 10,
        parent === null ? null : parent === p ? 0 : 1,
        made,
        visits,
        best,
      ]),
    };
  };

  it("count a parent's children, failures included, its groups, and its best valid child; puct counts the groups of descendants too", () => {
    const next = [valid(2, 0, 0.7, { parent: children[0]!.id }), valid(2, 1, 0.9, { parent: children[0]!.id })];
    expect(tallied({ kind: 'sigmoid' }, [children, next])).toEqual({
      picks: 3,
      tallies: [
        [0, null, 4, 2, 0.6],
        [1, null, 2, 1, 0.9],
      ],
    });
    expect(tallied({ kind: 'puct' }, [children, next])).toEqual({
      picks: 3,
      tallies: [
        [0, null, 4, 3, 0.6],
        [1, 0, 2, 1, 0.9],
        [1.1, 0, 0, 0, null],
        [1.6, 0, 0, 0, null],
        [2, 1, 0, 0, null],
        [2.1, 1, 0, 0, null],
      ],
    });
  });

  it('count children that did not enter: twins, and those beyond the best siblings', () => {
    const twin = valid(1, 3, 0.6, { parent: p, sameAs: children[0]!.id });
    expect(tallied({ kind: 'puct' }, [[...children.slice(0, 3), twin]], { siblings: 1 }).tallies).toEqual([
      [0, null, 4, 1, 0.6],
      [1, 0, 0, 0, null],
    ]);
  });

  it('of a seed program say that it is a root', () => {
    expect(
      tallied({ kind: 'puct' }, [[{ ...children[0]!, founder: true }], [valid(2, 0, 0.7, { parent: children[0]!.id })]])
        .tallies,
    ).toEqual([
      [0, null, 1, 1, 0.6],
      [1, null, 1, 1, 0.7],
      [2, 1, 0, 0, null],
    ]);
  });

  it('are kept by nobody else, and minus zero, which databases do not keep, is zero', () => {
    expect(tallied({ kind: 'mixture' }, [children])).toEqual({ picks: undefined, tallies: [] });
    expect(Object.is(tallied({ kind: 'sigmoid' }, [[children[3]!]]).tallies[0]![4], 0)).toBe(true);
  });
});
