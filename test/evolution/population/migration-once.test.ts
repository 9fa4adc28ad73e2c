// Migration of the style `once` over random histories, beside a plain second version of its rules (CodeEvolve
// 4.4; CodeEvolve 15 and 16).
import { describe, expect, it } from 'vitest';
import { spaceOf } from '../../../evolution/archives/cell-space.ts';
import type { MigrationSettings, PopulationSettings } from '../../../evolution/config/run-config.ts';
import { commitStep } from '../../../evolution/population/insertion.ts';
import { targetsOf, type Topology } from '../../../evolution/population/migration.ts';
import {
  applyChangeSet,
  emptyPopulation,
  loadPopulation,
  type Population,
} from '../../../evolution/population/population.ts';
import { rng } from '../../../evolution/rng.ts';
import type { ChangeSet, Member } from '../../../evolution/types.ts';
import { childrenAt, expectSame, reloaded, snapshotOf } from '../../support/engine/histories.ts';
import { FULL } from '../../support/sizes.ts';
import { failed, grown, initial, settingsOf, valid, type WorldSettings } from '../../support/worlds/populations.ts';

const HISTORIES = FULL ? 10_000 : 1_000;
const STEPS = 4;
const TOPOLOGIES: readonly Topology[] = ['ring', 'directed-ring', 'complete', 'star-in', 'star-out', 'star', 'none'];

const worldOf = (seed: number): WorldSettings => {
  const random = rng(seed, 'world');
  const population: Partial<PopulationSettings> = {
    islands: 1 + random.int(6),
    cap: 8 + random.int(25),
    archive: 4,
    map: random.pick(['grid', 'cvt', 'queue', 'none']),
    grid: random.pick(['island', 'global']),
    bins: 1 + random.int(4),
    cells: 1 + random.int(6),
    eviction: random.pick(['worst', 'protect-elites']),
    features: random.pick([['score', 'length'], ['length'], [{ name: 'metric:x', min: 0, max: 22 }]] as const),
  };
  const migration: Partial<MigrationSettings> = {
    style: 'once',
    topology: random.pick(TOPOLOGIES),
    unit: random.pick(['children', 'steps']),
    interval: 1 + random.int(4),
    rate: random.pick([0, 0.1, 0.3, 0.5, 1]),
  };
  return { ...settingsOf(population, migration), responses: 2 };
};

const isBetter = (a: Member, b: Member): boolean => a.fit > b.fit || (a.fit === b.fit && a.bornSeq < b.bornSeq);
const bestOf = (members: readonly Member[]): Member =>
  members.reduce((best, member) => (isBetter(member, best) ? member : best));
const memberships = ({ islands }: Population): number => islands.reduce((sum, { byId }) => sum + byId.size, 0);

/** Who is where, as text: islands, cells and those who have migrated. */
const placesOf = ({ islands, maps, migrated }: Population): string =>
  textOf({
    islands: islands.map(({ byId }) => byId.keys()),
    cells: maps.map(({ cells }) => [...cells].map(([cell, { id }]) => `${cell} ${id}`)),
    migrated: migrated.byId.keys(),
  });
const textOf = (places: {
  readonly islands: readonly Iterable<string>[];
  readonly cells: readonly Iterable<string>[];
  readonly migrated: Iterable<string>;
}): string =>
  [...places.islands, ...places.cells, places.migrated].map((list) => [...list].sort().join(' ')).join('\n');

/**
 * The rules written plainly: who is where after a migration that is due. Islands send and receive in any order, here
 * a random one.
 */
const placesAfter = (
  before: Population,
  { population, migration, seed }: WorldSettings,
  random: ReturnType<typeof rng>,
): string => {
  const order = before.islands
    .map((_, island) => [random.next(), island] as const)
    .sort(([a], [b]) => a - b)
    .map(([, island]) => island);
  const space = spaceOf(population, seed);
  const mapFor = (island: number): number => (population.grid === 'global' ? 0 : island);
  const islands = before.islands.map(({ byId }) => new Set(byId.keys()));
  const cells = before.maps.map((map) => new Map(map.cells));
  const migrated = new Set(before.migrated.byId.keys());
  const compete = (elites: Map<string, Member>, member: Member): void => {
    if ([...elites.values()].includes(member)) return;
    const cell = population.map === 'queue' ? member.id : space!.cellOf(member, before.state);
    if (cell === null) return;
    const rival =
      population.map !== 'queue'
        ? elites.get(cell)
        : elites.size < population.cells
          ? undefined
          : [...elites.values()].reduce((worst, elite) => (isBetter(worst, elite) ? elite : worst));
    if (rival !== undefined && !isBetter(member, rival)) return;
    if (rival !== undefined && population.map === 'queue') elites.delete(rival.id);
    elites.set(cell, member);
  };
  const migrants = order.map((from) => {
    const members = before.islands[from]!.byBirth;
    const targets = targetsOf(migration.topology, from, order.length);
    const elites =
      population.map === 'none' ? [] : [...cells[mapFor(from)]!.values()].filter(({ id }) => islands[from]!.has(id));
    const pool = elites.length > 0 ? elites : members;
    const eligible = pool.filter(
      (member) =>
        member.home === from &&
        member !== bestOf(members) &&
        !migrated.has(member.id) &&
        targets.some((to) => !islands[to]!.has(member.id)),
    );
    const count = migration.rate === 0 ? 0 : Math.max(1, Math.floor(migration.rate * pool.length + 1e-9));
    return { targets, sent: eligible.sort((a, b) => (isBetter(a, b) ? -1 : 1)).slice(0, count) };
  });
  for (const { targets, sent } of migrants) {
    for (const to of targets) {
      for (const member of sent.filter(({ id }) => !islands[to]!.has(id))) {
        islands[to]!.add(member.id);
        migrated.add(member.id);
        if (population.map !== 'none') compete(cells[mapFor(to)]!, member);
      }
    }
  }
  return textOf({
    islands,
    migrated,
    cells: cells.map((elites) => [...elites].map(([cell, { id }]) => `${cell} ${id}`)),
  });
};

type Happened = {
  readonly settings: WorldSettings;
  readonly step: number;
  readonly before: Population;
  readonly changeSet: ChangeSet;
  readonly after: Population;
};

/**
 * A history, step by step; half of them change their topology on the way. `before`: the population when the step's
 * children have entered and nobody has migrated.
 */
function* historyOf(seed: number): Generator<Happened> {
  const world = worldOf(seed);
  const after = emptyPopulation(world.population);
  for (let step = 0; step <= STEPS; step++) {
    const topology = seed % 2 === 0 && step > 2 ? TOPOLOGIES[seed % 7]! : world.migration.topology;
    const [settings, apart] = [topology, 'none' as const].map((to): WorldSettings => ({
      ...world,
      migration: { ...world.migration, topology: to },
    })) as [WorldSettings, WorldSettings];
    const children = childrenAt(after, settings, step, seed, 1 + (seed % 3));
    const { memberships, cells, state } = snapshotOf(after);
    const before = loadPopulation(settings.population, memberships, cells, state);
    const changeSet = commitStep({ population: after, children, step, settings });
    if (seed % 20 === 0)
      expect(JSON.stringify(commitStep({ population: reloaded(after), children, step, settings }))).toBe(
        JSON.stringify(changeSet),
      );
    applyChangeSet(before, commitStep({ population: after, children, step, settings: apart }));
    applyChangeSet(after, changeSet);
    yield { settings, step, before, changeSet, after };
  }
}

const isDue = (
  {
    settings: {
      migration: { unit, interval },
    },
    step,
    before,
  }: Happened,
  last: number,
): boolean =>
  step > 0 && (unit === 'steps' ? step % interval === 0 : Math.max(...before.state.generations) - last >= interval);

describe('migration once', () => {
  it(`CodeEvolve 15: over ${HISTORIES} random histories: at most once in a life, never an island's best, never back or to itself, arriving as a root, stored once, as the plain rules say`, () => {
    const met = { migrations: 0, moves: 0, withoutMoves: 0, forbidden: 0 };
    for (let seed = 0; seed < HISTORIES; seed++) {
      const left = new Set<string>();
      let last = 0;
      for (const happened of historyOf(seed)) {
        const {
          settings: { migration },
          step,
          before,
          changeSet: { migrated },
          after,
        } = happened;
        const must = (held: boolean, law: string): void => {
          if (!held) expect.fail(`history ${seed}, step ${step}: ${law}`);
        };
        const due = isDue(happened, last);
        last = after.state.lastMigration;
        must(
          last === (due ? Math.max(...after.state.generations) : before.state.lastMigration),
          'the last migration is noted',
        );
        const [expected, got] = [
          due ? placesAfter(before, happened.settings, rng(seed, 'order', step)) : placesOf(before),
          placesOf(after),
        ];
        if (got !== expected) expect(got, `history ${seed}, step ${step}`).toBe(expected);

        const forbidden = migration.rate === 0 || migration.topology === 'none' || after.islands.length === 1;
        must(!forbidden || migrated.length === 0, 'rate 0, no topology and a single island move nothing');
        for (const { id, from, to } of migrated) {
          must(
            after.members.get(id)!.home === from && to !== from,
            `${id} leaves the island where it was made, for another, on which it is a root`,
          );
          must(bestOf(before.islands[from]!.byBirth).id !== id, `the best of island ${from} stays`);
          must(!left.has(id), `${id} migrates once in its life`);
        }
        for (const { id } of migrated) left.add(id);
        must(
          memberships(after) === memberships(before) + migrated.length,
          'memberships grow by the moves and by nothing else',
        );
        must(
          [after.state.size, after.all.byBirth.length, after.members.size].every((size) => size === before.state.size),
          'nobody is copied, nobody dies of migration',
        );

        if (seed % 20 === 0) {
          const once = JSON.stringify(snapshotOf(after));
          expectSame(snapshotOf(applyChangeSet(reloaded(after), happened.changeSet)), JSON.parse(once));
        }
        met.moves += migrated.length;
        if (due) met[forbidden ? 'forbidden' : migrated.length === 0 ? 'withoutMoves' : 'migrations']++;
      }
    }
    for (const [what, count] of Object.entries(met)) expect(count, what).toBeGreaterThan(HISTORIES / 10);
  });

  const settings = (migration: Partial<MigrationSettings> = {}, population: Partial<PopulationSettings> = {}) =>
    settingsOf({ map: 'none', islands: 3, ...population }, { style: 'once', interval: 1, rate: 1, ...migration });
  const movesAfter = (world: WorldSettings, population: Population, step: number) =>
    commitStep({ population, children: [failed(step, 0, 'no_diff')], step, settings: world }).migrated.map(
      ({ id, from, to }) => `${Number(id.split(':').at(-1))}: ${from} > ${to}`,
    );

  it('CodeEvolve 15: the best first, a share of the pool, at least one, the same set to every neighbour', () => {
    const apart = settings({ interval: 1_000 });
    const children = [0.9, 0.1, 0.7, 0.8, 0.3, 0.2].map((fit, index) => valid(1, index + 1, fit, { island: 1 }));
    const moves = (rate: number, topology: Topology = 'directed-ring') =>
      movesAfter(settings({ rate, topology }), grown(apart, [children]), 2);
    // Seven members: these six and the initial program. Slot 1 is the best.
    expect(moves(0.3)).toEqual(['4: 1 > 2', '3: 1 > 2']);
    expect(moves(0.01)).toEqual(['4: 1 > 2']);
    expect(moves(0.3, 'ring').sort()).toEqual(['3: 1 > 0', '3: 1 > 2', '4: 1 > 0', '4: 1 > 2']);
    expect(moves(1)).toEqual(['4: 1 > 2', '3: 1 > 2', '5: 1 > 2', '6: 1 > 2', '2: 1 > 2']);
    expect([moves(0), moves(1, 'none'), moves(1, 'star-out')]).toEqual([[], [], []]);
  });

  it("who is on every neighbour already takes nobody's place: the initial program is not sent again and again", () => {
    const world = settings({ interval: 1_000, topology: 'directed-ring', rate: 0.1 });
    const population = grown(world, [[valid(1, 1, 0.9), valid(1, 2, 0.4), valid(1, 3, 0.3)]]);
    const due = { ...world, migration: { ...world.migration, interval: 1 } };
    const moves = [2, 3, 4].map((step) => {
      const changeSet = commitStep({ population, children: [failed(step, 0, 'no_diff')], step, settings: due });
      applyChangeSet(population, changeSet);
      return changeSet.migrated.map(({ id }) => id);
    });
    expect(moves).toEqual([[valid(1, 2, 0).id], [valid(1, 3, 0).id], []]);
    expect(population.migrated.byId.has(initial().id)).toBe(false);
  });

  it('of an archive of cells its elites migrate, of an island without any its members', () => {
    const world = (map: PopulationSettings['map']) =>
      settings(
        { interval: 1_000, topology: 'directed-ring' },
        { map, cells: 2, features: [{ name: 'length', min: 0, max: 100, bins: 4 }] },
      );
    const children = [
      valid(1, 1, 0.9, { length: 90 }),
      valid(1, 2, 0.8, { length: 95 }),
      valid(1, 3, 0.1, { length: 10 }),
      valid(1, 4, 0.2, { length: 40 }),
    ];
    const moves = (map: PopulationSettings['map']) =>
      movesAfter(
        { ...world(map), migration: { ...world(map).migration, interval: 1 } },
        grown(world(map), [children]),
        2,
      );
    expect(moves('grid')).toEqual(['4: 0 > 1', '3: 0 > 1']);
    expect(moves('queue')).toEqual(['2: 0 > 1']);
    expect(moves('none')).toEqual(['2: 0 > 1', '4: 0 > 1', '3: 0 > 1']);
    const measured = settings({ interval: 1_000, topology: 'directed-ring' }, { map: 'grid', features: ['metric:x'] });
    expect(
      movesAfter({ ...measured, migration: { ...measured.migration, interval: 1 } }, grown(measured, [children]), 2),
    ).toEqual(['2: 0 > 1', '4: 0 > 1', '3: 0 > 1']);
  });
});
