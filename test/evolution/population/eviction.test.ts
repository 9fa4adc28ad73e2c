// Eviction at the population's cap: same input, same victims; whom each kind spares (ThetaEvolve C.4.2;
// CodeEvolve B.2: Naive), and that nothing else that admits or gives up programs gets round it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeatureSettings } from '../../../evolution/config/run-config.ts';
import { populationClashes } from '../../../evolution/methods/rules/population-rules.ts';
import { commitStep } from '../../../evolution/population/insertion.ts';
import { applyChangeSet, emptyPopulation, type Population } from '../../../evolution/population/population.ts';
import type { Child, Member } from '../../../evolution/types.ts';
import {
  admittedOf,
  childrenAt,
  expectSame,
  reloaded,
  runHistory,
  snapshotOf,
} from '../../support/engine/histories.ts';
import { failed, grown, initial, settingsOf, valid, type WorldSettings } from '../../support/worlds/populations.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

const METRIC = 'metric:x';
/** Bounds are fixed: cells stay where they are. */
const SCORE: FeatureSettings = { name: 'score', min: -2, max: 2 };
const LENGTH: FeatureSettings = { name: 'length', min: 50, max: 250 };
const seeds = fc.integer({ min: 0, max: 1e6 });
const config = configFrom({});
/** Whether these settings could be those of a run. */
const isPossible = ({ population, migration }: WorldSettings): boolean =>
  populationClashes({ ...config, population, migration }).length === 0 && population.islands <= population.cap;

/** Any archive and eviction, at the smallest cap that the rules allow or a little above it. */
const worlds: fc.Arbitrary<WorldSettings> = fc
  .record({
    map: fc.constantFrom('grid' as const, 'cvt' as const, 'queue' as const, 'none' as const),
    grid: fc.constantFrom('island' as const, 'global' as const),
    islands: fc.integer({ min: 1, max: 4 }),
    bins: fc.integer({ min: 1, max: 3 }),
    cells: fc.integer({ min: 1, max: 6 }),
    archive: fc.integer({ min: 1, max: 6 }),
    features: fc.constantFrom(
      [SCORE],
      [SCORE, LENGTH],
      [{ name: METRIC, scale: 'log', min: 1, max: 22 } as const, LENGTH],
    ),
    admitFailures: fc.boolean(),
    protectElites: fc.boolean(),
    keepInitial: fc.boolean(),
    initialisation: fc.constantFrom(1, 1, 2),
    siblings: fc.constantFrom(null, null, 1),
    eviction: fc.constantFrom('protect-elites' as const, 'worst' as const),
    spare: fc.constantFrom(0, 0, 1, 7),
    style: fc.constantFrom('top' as const, 'once' as const),
    interval: fc.integer({ min: 1, max: 12 }),
    rate: fc.constantFrom(0, 0.3, 1),
  })
  .map(({ spare, style, interval, rate, ...population }) => {
    const migration = {
      topology: population.islands === 1 ? ('none' as const) : ('ring' as const),
      style,
      interval,
      rate,
    };
    const withCap = (cap: number): WorldSettings => settingsOf({ ...population, cap }, migration);
    let cap = 2;
    while (!isPossible(withCap(cap))) cap++;
    return { ...withCap(cap + spare), responses: 3 };
  });
const protecting = worlds
  .map((world): WorldSettings => ({ ...world, population: { ...world.population, eviction: 'protect-elites' } }))
  .filter(isPossible);

describe('eviction', () => {
  it('same input, same victims: computed again, or from the population as its rows give it, the change set is the same to the byte', () => {
    fc.assert(
      fc.property(worlds, seeds, (settings, seed) => {
        const population = emptyPopulation(settings.population);
        for (let step = 0; step <= 5; step++) {
          const children = childrenAt(population, settings, step, seed);
          const changeSet = commitStep({ population, children, step, settings });
          const written = JSON.stringify(changeSet);
          for (const from of [population, reloaded(population)])
            expect(JSON.stringify(commitStep({ population: from, children, step, settings }))).toBe(written);
          applyChangeSet(population, changeSet);
        }
      }),
      { numRuns: 60, seed: 81 },
    );
  });

  it('ThetaEvolve 8: holds the cap after every step, forgets nobody but the evicted, and the best never gets worse', () => {
    let evictions = 0;
    fc.assert(
      fc.property(worlds, seeds, (settings, seed) => {
        const alive = new Set<string>();
        let best = Number.NEGATIVE_INFINITY;
        runHistory(settings, seed, 6, ({ children, changeSet: { evicted }, population }) => {
          for (const { id } of admittedOf(children, settings)) alive.add(id);
          for (const id of evicted) expect(alive.delete(id)).toBe(true);
          expect([...population.members.keys()].sort()).toEqual([...alive].sort());
          expect(population.state.size).toBe(alive.size);
          expect(population.state.size).toBeLessThanOrEqual(settings.population.cap);
          if (population.state.best !== null) {
            expect(population.members.has(population.state.best.id)).toBe(true);
            expect(population.state.best.fit).toBeGreaterThanOrEqual(best);
            best = population.state.best.fit;
          }
          evictions += evicted.length;
        });
      }),
      { numRuns: 120, seed: 82 },
    );
    expect(evictions).toBeGreaterThan(1_000);
  });

  it('every member has an island, and no island is empty', () => {
    fc.assert(
      fc.property(worlds, seeds, (settings, seed) => {
        runHistory(settings, seed, 6, ({ population }) => {
          const placed = new Set(population.islands.flatMap(({ byId }) => [...byId.keys()]));
          expect(placed.size).toBe(population.state.size);
          for (const island of population.islands) expect(island.byId.size).toBeGreaterThan(0);
        });
      }),
      { numRuns: 60, seed: 83 },
    );
  });

  it('keepInitial, and initialisation of more than one, keep the initial program, however bad', () => {
    fc.assert(
      fc.property(
        worlds.filter(({ population }) => population.keepInitial || population.initialisation > 1),
        seeds,
        (settings, seed) => {
          runHistory(settings, seed, 6, ({ population }) => expect(population.members.has(initial().id)).toBe(true));
        },
      ),
      { numRuns: 60, seed: 84 },
    );
    for (const change of [{ keepInitial: true }, { initialisation: 2 }, {}]) {
      const settings = settingsOf({ cap: 4, islands: 2, archive: 2, ...change }, { interval: 1_000 });
      const population = grown(
        settings,
        [[0.1, 0.2, 0.3, 0.4, 0.5].map((fit, slot) => valid(1, slot, fit))],
        initial(-9),
      );
      expect(population.members.has(initial().id)).toBe('keepInitial' in change || 'initialisation' in change);
    }
  });
});

describe('worst', () => {
  const settings = (change: object = {}) =>
    settingsOf({ cap: 3, islands: 1, archive: 2, map: 'none', ...change }, { topology: 'none' });
  const evictedOf = (world: WorldSettings, fits: readonly number[], first = initial(0.5)) => {
    const population = emptyPopulation(world.population);
    applyChangeSet(population, commitStep({ population, children: [first], step: 0, settings: world }));
    return commitStep({
      population,
      children: fits.map((fit, slot) => valid(1, slot, fit, { length: 100 + slot })),
      step: 1,
      settings: world,
    }).evicted;
  };
  const id = (slot: number) => valid(1, slot, 0).id;

  it('takes the lowest, the oldest of equals, never the newcomer, even where that is the lowest', () => {
    expect(evictedOf(settings(), [0.3, 0.3, 0.1, 0.2])).toEqual([id(0), id(2)]);
  });
  it('never takes the best, even where the newcomer is the only other', () => {
    expect(evictedOf(settings({ cap: 2 }), [0.3, 0.2, 0.1])).toEqual([id(0), id(1)]);
    expect(evictedOf(settings({ cap: 2 }), [0.3, 0.6, 0.1])).toEqual([id(0), initial().id]);
  });
  it('with protectElites takes cell elites last, the worst of them first', () => {
    const elites = { map: 'grid', features: [{ name: 'length', min: 100, max: 110, bins: 10 }], protectElites: true };
    // Lengths 100 to 104: each the elite of its cell, but that slot 0 cannot beat the initial program.
    expect(evictedOf(settings(elites), [0.4, 0.1, 0.2, 0.3])).toEqual([id(0), id(1)]);
    expect(evictedOf(settings({ ...elites, protectElites: false }), [0.4, 0.1, 0.2, 0.3])).toEqual([id(1), id(2)]);
  });
});

describe('protect-elites', () => {
  /** Whom the rules give up, read from the population as the child has entered it, were there no cap. */
  const victimOf = (
    entered: Population,
    child: Child,
    { cap, keepInitial, initialisation }: WorldSettings['population'],
  ): string | null => {
    if (entered.state.size <= cap) return null;
    const isFree = ({ id, bornSeq }: Member): boolean =>
      id !== entered.state.best?.id &&
      !(bornSeq === 0 && (keepInitial || initialisation > 1)) &&
      !entered.maps.some(({ cellOf }) => cellOf.has(id)) &&
      !entered.islands.some(({ byId }) => byId.size === 1 && byId.has(id));
    const free = entered.all.byBirth.filter(isFree);
    const lowest = free.filter(({ fit }) => fit === Math.min(...free.map((member) => member.fit)));
    return (lowest.find(({ id }) => id === child.id) ?? lowest[0]!).id;
  };

  it("gives up the lowest of those who are neither the best, nor elites, nor an island's last member; a newcomer has to beat it", () => {
    const outcomes = { stayed: 0, refused: 0, roomForAll: 0 };
    fc.assert(
      fc.property(protecting, seeds, (settings, seed) => {
        const population = emptyPopulation(settings.population);
        const apart: WorldSettings = { ...settings, migration: { ...settings.migration, topology: 'none' } };
        const unlimited: WorldSettings = { ...apart, population: { ...settings.population, cap: 1_000_000 } };
        for (let step = 0; step <= 45; step++) {
          const child = childrenAt(population, settings, step, seed, 1)[0]!;
          // Migration comes after evictions; a step of its own now and then spreads members and elites.
          if (step % 5 === 4) {
            applyChangeSet(population, commitStep({ population, children: [child], step, settings }));
            continue;
          }
          const entered = reloaded(population);
          const archived = [...population.archive.byId.keys()].sort();
          applyChangeSet(entered, commitStep({ population: entered, children: [child], step, settings: unlimited }));
          const expected = victimOf(entered, child, settings.population);
          const changeSet = commitStep({ population, children: [child], step, settings: apart });
          applyChangeSet(population, changeSet);
          expect(changeSet.evicted).toEqual(expected === null ? [] : [expected]);
          const left = snapshotOf(entered);
          const rows = snapshotOf(population);
          expect(rows.memberships.filter(({ island }) => island >= 0)).toEqual(
            left.memberships.filter(({ island, id }) => island >= 0 && id !== expected),
          );
          expect(rows.cells).toEqual(left.cells);
          if (expected === child.id) expect([...population.archive.byId.keys()].sort()).toEqual(archived);
          outcomes[expected === null ? 'roomForAll' : expected === child.id ? 'refused' : 'stayed']++;
        }
      }),
      { numRuns: 80, seed: 85 },
    );
    for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(200);
  });

  it('the naive cap: without cells a newcomer enters if and only if it is strictly better than the worst, which goes', () => {
    const settings = settingsOf(
      { map: 'none', eviction: 'protect-elites', cap: 3, islands: 1, archive: 3 },
      { topology: 'none' },
    );
    const alive = (fits: readonly number[]) =>
      [...grown(settings, [fits.map((fit, slot) => valid(1, slot, fit))]).members.values()]
        .map(({ fit }) => fit)
        .sort();
    expect(alive([0.2, 0.4])).toEqual([0.2, 0.4, 0.5]);
    expect(alive([0.2, 0.4, 0.2])).toEqual([0.2, 0.4, 0.5]);
    expect(alive([0.2, 0.4, 0.1])).toEqual([0.2, 0.4, 0.5]);
    expect(alive([0.2, 0.4, 0.3])).toEqual([0.3, 0.4, 0.5]);
    expect(alive([0.2, 0.4, 0.3, 0.6, 0.35])).toEqual([0.4, 0.5, 0.6]);
    const { evicted } = commitStep({
      population: grown(settings, [[valid(1, 0, 0.2), valid(1, 1, 0.4)]]),
      children: [valid(2, 0, 0.2)],
      step: 2,
      settings,
    });
    expect(evicted).toEqual([valid(2, 0, 0).id]);
  });

  it('a newcomer that is refused leaves no trace: the worst member of the archive, an elite that may not go, is not replaced by it', () => {
    const settings = settingsOf(
      {
        features: [{ name: 'length', min: 0, max: 100, bins: 2 }],
        eviction: 'protect-elites',
        cap: 4,
        archive: 4,
        islands: 1,
      },
      { topology: 'none' },
      { kind: 'puct' },
    );
    const population = grown(settings, [[valid(1, 0, 0.1, { length: 10 }), valid(1, 1, 0.4), valid(1, 2, 0.45)]]);
    expect(population.archive.byId.size).toBe(4);
    const refused = valid(2, 0, 0.3, { parent: initial().id });
    const changeSet = commitStep({ population, children: [refused], step: 2, settings });
    expect(changeSet).toMatchObject({ add: [], remove: [], cells: [], evicted: [refused.id] });
    expect(changeSet.tallies!.map(({ id }) => id)).toEqual([initial().id]);
  });

  it('when the cap becomes smaller those who are spared stay, all the same', () => {
    fc.assert(
      fc.property(protecting, seeds, (settings, seed) => {
        const roomy = { ...settings, population: { ...settings.population, cap: 100, archive: 6 } };
        const population = runHistory(roomy, seed, 8);
        const spared = new Set([
          population.state.best!.id,
          ...population.maps.flatMap(({ cellOf }) => [...cellOf.keys()]),
        ]);
        const { cells } = snapshotOf(population);
        applyChangeSet(population, commitStep({ population, children: [], step: 9, settings }));
        expect(population.state.size).toBeLessThanOrEqual(settings.population.cap);
        for (const id of spared) expect(population.members.has(id)).toBe(true);
        expect(snapshotOf(population).cells).toEqual(cells);
        for (const island of population.islands) expect(island.byId.size).toBeGreaterThan(0);
      }),
      { numRuns: 40, seed: 87 },
    );
  });
});

describe('a step of many children', () => {
  it('ends as so many steps of one child do, where cells stay and nobody migrates', () => {
    const apart = worlds.map((world): WorldSettings => ({
      ...world,
      population: { ...world.population, siblings: null },
      migration: { ...world.migration, topology: 'none', interval: 1_000 },
    }));
    fc.assert(
      fc.property(apart, seeds, (settings, seed) => {
        const population = emptyPopulation(settings.population);
        const oneByOne = emptyPopulation(settings.population);
        for (let step = 0; step <= 4; step++) {
          const children = childrenAt(population, settings, step, seed, 4);
          applyChangeSet(population, commitStep({ population, children, step, settings }));
          for (const child of children)
            applyChangeSet(oneByOne, commitStep({ population: oneByOne, children: [child], step, settings }));
          expectSame(snapshotOf(oneByOne), snapshotOf(population));
        }
      }),
      { numRuns: 80, seed: 86 },
    );
  });
});

describe('initialisation and siblings', () => {
  const settings = (change: object) => settingsOf({ islands: 2, ...change }, { interval: 1_000 });
  const p = initial().id;

  it('of the valid children of one parent in one step the best few enter, of equals the first; the others are counted and recorded only', () => {
    const family = [0.3, 0.6, 0.6, 0.1, 0.6].map((fit, slot) => valid(1, slot, fit, { parent: p, island: slot % 2 }));
    const others = [
      failed(1, 5, 'invalid', { parent: p }),
      valid(1, 6, 0.05, { parent: 'another' }),
      valid(1, 7, 0.01, { parent: null }),
      valid(1, 8, 0.6, { parent: p, sameAs: family[1]!.id }),
    ];
    const enteredOf = (siblings: number | null) =>
      [...grown(settings({ siblings }), [[...family, ...others]]).members.keys()].filter((id) => id !== p).sort();
    const ids = (...slots: readonly number[]) => slots.map((slot) => valid(1, slot, 0).id);
    expect(enteredOf(1)).toEqual(ids(1, 6, 7));
    expect(enteredOf(2)).toEqual(ids(1, 2, 6, 7));
    expect(enteredOf(4)).toEqual(ids(0, 1, 2, 4, 6, 7));
    expect(enteredOf(null)).toEqual(ids(0, 1, 2, 3, 4, 6, 7));
    expect(grown(settings({ siblings: 1 }), [[...family, ...others]]).state.generations).toEqual([7, 2]);
    const next = grown(settings({ siblings: 1 }), [family, [valid(2, 0, 0.2, { parent: p })]]);
    expect(next.members.has(valid(2, 0, 0).id)).toBe(true);
  });

  it('seed programs are roots and no siblings of each other, though all are made of the initial program: every island is initialised', () => {
    const seedPrograms = [0, 1].flatMap((island) =>
      [0, 1, 2].map((n) => valid(1, 3 * island + n, n / 10, { parent: p, island, founder: true })),
    );
    const population = grown(settings({ siblings: 1, initialisation: 4 }), [seedPrograms]);
    expect(population.islands.map(({ byId }) => byId.size)).toEqual([4, 4]);
  });
});
