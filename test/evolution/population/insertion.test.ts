// Insertion: every rule against a plain second version, and the acceptance properties (ThetaEvolve).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commitStep } from '../../../evolution/population/insertion.ts';
import {
  applyChangeSet,
  emptyPopulation,
  loadPopulation,
  type Population,
  rowsOf,
} from '../../../evolution/population/population.ts';
import { rng } from '../../../evolution/rng.ts';
import { ARCHIVE, type Child } from '../../../evolution/types.ts';
import { PlainPopulation } from '../../support/domain/plain-insertion.ts';
import {
  failed,
  grown,
  initial,
  randomChildren,
  runWorld,
  settingsOf,
  valid,
  type WorldSettings,
} from '../../support/worlds/populations.ts';

const snapshot = (population: Population) => ({ ...rowsOf(population), state: population.state });

const worlds: fc.Arbitrary<WorldSettings> = fc
  .record({
    cap: fc.integer({ min: 2, max: 60 }),
    archive: fc.integer({ min: 1, max: 20 }),
    islands: fc.integer({ min: 1, max: 5 }),
    bins: fc.integer({ min: 1, max: 8 }),
    grid: fc.constantFrom('island' as const, 'global' as const),
    childIsland: fc.constantFrom('parent' as const, 'current' as const),
    features: fc.constantFrom(['score', 'length'] as const, ['score'] as const, ['length'] as const),
    admitFailures: fc.boolean(),
    protectElites: fc.boolean(),
    interval: fc.integer({ min: 1, max: 30 }),
    rate: fc.constantFrom(0, 0.1, 0.3, 1),
    topology: fc.constantFrom(
      'ring' as const,
      'ring' as const,
      'directed-ring' as const,
      'complete' as const,
      'star-in' as const,
      'star-out' as const,
      'star' as const,
      'none' as const,
    ),
  })
  .map(({ interval, rate, topology, ...population }) => settingsOf(population, { interval, rate, topology }));
const seeds = fc.integer({ min: 0, max: 1e6 });

describe('insertion', () => {
  it('follows the rules: the same population as the plain version, after every step, for any settings', () => {
    fc.assert(
      fc.property(worlds, seeds, (settings, seed) => {
        const plain = new PlainPopulation(settings);
        runWorld(settings, seed, 6, ({ children, population }) => {
          plain.step(children);
          expectSame(snapshot(population), plain.rows());
        });
      }),
      { numRuns: 30, seed: 11 },
    );
  });

  it('follows the rules when people inject programs and change the cap, the archive or the migration between steps', () => {
    const sizes = fc.record({
      cap: fc.integer({ min: 2, max: 40 }),
      archive: fc.integer({ min: 1, max: 12 }),
      interval: fc.integer({ min: 1, max: 30 }),
    });
    fc.assert(
      fc.property(worlds, fc.array(sizes, { minLength: 2, maxLength: 6 }), seeds, (first, changes, seed) => {
        const plain = new PlainPopulation(first);
        const population = emptyPopulation(first.population);
        for (const [step, { interval, ...change }] of changes.entries()) {
          const settings: WorldSettings = {
            ...first,
            population: { ...first.population, ...change },
            migration: { ...first.migration, interval },
          };
          const children =
            step === 0
              ? [initial()]
              : someInjected(randomChildren(population, settings, step, seed), settings, seed + step);
          applyChangeSet(population, commitStep({ population, children, step, settings }));
          plain.step(children, settings);
          expectSame(snapshot(population), plain.rows());
          expect(population.state.size).toBeLessThanOrEqual(change.cap);
          expect(population.archive.byBirth.length).toBeLessThanOrEqual(change.archive);
        }
      }),
      { numRuns: 30, seed: 13 },
    );
  });

  it('a smaller cap and archive hold from the next step on, even when no child is admitted; the worst go, the best stays', () => {
    const before = runWorld(settingsOf({ cap: 40, archive: 8 }), 14, 10, () => {});
    const archived = [...before.archive.worstFirst].sort((a, b) => a.fit - b.fit || b.bornSeq - a.bornSeq);
    const [size, best] = [before.state.size, before.state.best!];
    expect([size, archived.length]).toEqual([40, 8]);
    const settings = settingsOf({ cap: 15, archive: 3 });
    const { evicted, remove, state } = commitStep({
      population: before,
      children: [failed(11, 0, 'invalid')],
      step: 11,
      settings,
    });
    expect(evicted).toEqual(
      before.all.worstFirst
        .filter(({ id }) => id !== best.id)
        .slice(0, size - 15)
        .map(({ id }) => id),
    );
    expect(state).toMatchObject({ size: 15, best });
    const gone = remove.filter(({ island }) => island === ARCHIVE).map(({ id }) => id);
    for (const { id } of archived.slice(0, 5)) expect(gone).toContain(id);
    expect(gone.every((id) => archived.slice(0, 5).some((member) => member.id === id) || evicted.includes(id))).toBe(
      true,
    );
  });

  it('an injected program enters its island and counts there; only step 0 slot 0 enters every island', () => {
    const injected = valid(1, 5, 0.7, { parent: null, island: 2 });
    const population = grown(settingsOf({ islands: 3 }, { interval: 1000 }), [[injected]]);
    expect(population.islands.map((island) => island.byId.has(injected.id))).toEqual([false, false, true]);
    expect(population.members.get(injected.id)!.home).toBe(2);
    expect(population.state.generations).toEqual([0, 0, 1]);
    const due = commitStep({
      population,
      children: [valid(2, 5, 0.8, { parent: null, island: 2 })],
      step: 2,
      settings: settingsOf({ islands: 3 }, { interval: 1, rate: 0 }),
    });
    expect(due.migrated.length).toBeGreaterThan(0);
  });

  it('ThetaEvolve 7: a change set is pure, survives JSON, and applying it twice changes nothing more: a retried migration equals one', () => {
    const settings = settingsOf();
    runWorld(settings, 3, 12, ({ population, changeSet, step }) => {
      const once = snapshot(population);
      applyChangeSet(population, JSON.parse(JSON.stringify(changeSet)));
      expect(snapshot(population)).toEqual(once);
      commitStep({ population, children: randomChildren(population, settings, step + 1, 9), step: step + 1, settings });
      expect(snapshot(population)).toEqual(once);
    });
  });

  it('ThetaEvolve 3: the order in which children are handed over leaves the change set byte-identical', () => {
    const settings = settingsOf();
    const population = runWorld(settings, 4, 5, () => {});
    const children = randomChildren(population, settings, 6, 4);
    const ordered = JSON.stringify(commitStep({ population, children, step: 6, settings }));
    for (let round = 0; round < 20; round++) {
      const random = rng(round);
      const shuffled = children
        .map((child) => [random.next(), child] as const)
        .sort(([a], [b]) => a - b)
        .map(([, child]) => child);
      expect(JSON.stringify(commitStep({ population, children: shuffled, step: 6, settings }))).toBe(ordered);
    }
  });

  it("ThetaEvolve 4: a child's home island is the island its parent counted with", () => {
    runWorld(settingsOf(), 5, 20, ({ children, population }) => {
      for (const child of children) {
        const member = population.members.get(child.id);
        if (!member) continue;
        expect(member.home).toBe(child.island);
        expect(population.islands[child.island]!.byId.has(child.id)).toBe(true);
      }
    });
  });

  it('ThetaEvolve 5: no population, archive or cell entry has an outcome other than valid', () => {
    const outcomes = new Map<string, Child['outcome']>();
    runWorld(settingsOf(), 6, 20, ({ children, population }) => {
      for (const child of children) outcomes.set(child.id, child.outcome);
      const { memberships, cells } = rowsOf(population);
      for (const id of [...memberships.map((row) => row.id), ...cells.map((cell) => cell.program)])
        expect(outcomes.get(id)).toBe('valid');
    });
  });

  it('ThetaEvolve 6: distinct programs alive are the population size, after any number of migrations', () => {
    let migrations = 0;
    runWorld(settingsOf({}, { interval: 1, rate: 0.5 }), 7, 25, ({ population, changeSet }) => {
      migrations += changeSet.migrated.length;
      const onIslands = new Set(
        rowsOf(population)
          .memberships.filter((row) => row.island !== ARCHIVE)
          .map((row) => row.id),
      );
      expect(onIslands.size).toBe(population.state.size);
      expect(population.all.byBirth.length).toBe(population.state.size);
    });
    expect(migrations).toBeGreaterThan(100);
  });

  it('ThetaEvolve 7: migration changes memberships and cells only', () => {
    const without = settingsOf({ islands: 3 }, { interval: 1_000_000 });
    const population = runWorld(without, 8, 6, () => {});
    const child = failed(7, 0, 'invalid');
    const due = commitStep({
      population,
      children: [child],
      step: 7,
      settings: { ...without, migration: { ...without.migration, interval: 1, rate: 0.5 } },
    });
    expect(due.migrated.length).toBeGreaterThan(0);
    expect({ remove: due.remove, evicted: due.evicted }).toEqual({ remove: [], evicted: [] });
    expect(due.add.map(({ id, island }) => ({ id, to: island })).sort(byText)).toEqual(
      due.migrated.map(({ id, to }) => ({ id, to })).sort(byText),
    );
    expect(due.state).toMatchObject({
      size: population.state.size,
      best: population.state.best,
      bounds: population.state.bounds,
    });
  });

  it('ThetaEvolve 8: the size never exceeds the cap, the best never gets worse, who is evicted leaves no trace but its name', () => {
    let best = Number.NEGATIVE_INFINITY;
    let evictions = 0;
    runWorld(settingsOf({ cap: 20 }), 9, 25, ({ population, changeSet }) => {
      expect(population.state.size).toBeLessThanOrEqual(20);
      expect(population.state.best!.fit).toBeGreaterThanOrEqual(best);
      best = population.state.best!.fit;
      expect(Math.max(...population.all.byBirth.map((member) => member.fit))).toBe(best);
      evictions += changeSet.evicted.length;
      for (const id of changeSet.evicted) expect(JSON.stringify(rowsOf(population))).not.toContain(`"${id}"`);
    });
    expect(evictions).toBeGreaterThan(50);
  });

  it('ThetaEvolve 9: a cell elite is replaced by strictly higher f only; ties keep the earlier program', () => {
    const settings = settingsOf({ bins: 1, islands: 1 });
    const after = (fit: number) => grown(settings, [[valid(1, 0, fit)]]).maps[0]!.cells.get('0-0')!.id;
    expect(after(0.5)).toBe(initial().id);
    expect(after(0.5000000001)).toBe(valid(1, 0, 0).id);
  });

  it('ThetaEvolve 13: of equal siblings the lowest slot becomes the program, the other stays a rollout', () => {
    const first = valid(1, 0, 0.7);
    const population = grown(settingsOf(), [[first, valid(1, 1, 0.7, { sameAs: first.id })]]);
    expect([...population.members.keys()].sort()).toEqual([initial().id, first.id].sort());
    expect(population.state.generations[0]).toBe(2);
  });

  it('ThetaEvolve 15: a program without a finite objective is never best, nor anywhere in the population', () => {
    const population = grown(settingsOf(), [[failed(1, 0, 'invalid')]]);
    expect(population.state.best!.id).toBe(initial().id);
    expect(population.members.size).toBe(1);
    for (const fit of [Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => grown(settingsOf(), [[valid(1, 0, fit)]])).toThrow(/finite fit/);
  });

  it('ThetaEvolve 16: a valid objective of -0.3 is ranked as valid, above every failure', () => {
    const settings = settingsOf({ admitFailures: true });
    const population = grown(settings, [[failed(1, 0, 'invalid'), valid(1, 1, -0.3)]], initial(-0.4));
    expect(population.state.best!.fit).toBe(-0.3);
    expect(population.all.worstFirst[0]!.id).toBe(failed(1, 0, 'invalid').id);
    expect(population.state.bounds!['score']).toEqual([-0.4, -0.3]);
  });

  it('ThetaEvolve 25: with one island, one feature and one bin there is exactly one cell, one elite, the best', () => {
    runWorld(settingsOf({ islands: 1, features: ['score'], bins: 1 }), 10, 15, ({ population }) => {
      const { cells } = rowsOf(population);
      expect(cells).toHaveLength(1);
      expect(cells[0]!.program).toBe(population.state.best!.id);
    });
  });

  it('the initial program starts in every island and in every grid, and counts as no child', () => {
    const population = grown(settingsOf({ islands: 3 }));
    expect(population.islands.map((island) => island.byBirth.map((member) => member.id))).toEqual(
      Array(3).fill([initial().id]),
    );
    expect(rowsOf(population).cells).toHaveLength(3);
    expect(population.state).toMatchObject({ generations: [0, 0, 0], size: 1, lastMigration: 0 });
  });

  it('an island emptied by eviction gains the global best', () => {
    const settings = settingsOf({ islands: 3, cap: 2 }, { interval: 1000 });
    const [better, best] = [valid(1, 0, 0.8, { island: 1 }), valid(1, 1, 0.9, { island: 1 })];
    const population = grown(settings, [[better, best]]);
    expect(population.islands.map((island) => [...island.byId.keys()].sort())).toEqual([
      [best.id],
      [better.id, best.id].sort(),
      [best.id],
    ]);
  });

  it('a newcomer takes the place in the archive of the elite it displaces; a full archive replaces its worst by strictly better only', () => {
    const settings = settingsOf({ bins: 1, islands: 2, archive: 2 }, { interval: 1000 });
    const archived = (children: readonly Child[]) => [...grown(settings, [children]).archive.byId.keys()];
    expect(archived([valid(1, 0, 0.9)])).toEqual([valid(1, 0, 0).id]);
    // The first takes a free place; the second equals the worst member and gets none; the third beats it.
    expect(archived([valid(1, 0, 0.4), valid(1, 1, 0.4)])).toEqual([initial().id, valid(1, 0, 0).id]);
    expect(archived([valid(1, 0, 0.4), valid(1, 1, 0.45)]).sort()).toEqual([initial().id, valid(1, 1, 0).id].sort());
  });

  it('eviction takes the lowest f, the oldest of equals, never the newcomer', () => {
    const settings = settingsOf({ cap: 3, islands: 1 }, { interval: 1000 });
    const population = emptyPopulation(settings.population);
    applyChangeSet(population, commitStep({ population, children: [initial()], step: 0, settings }));
    const { evicted } = commitStep({
      population,
      step: 1,
      settings,
      children: [valid(1, 0, 0.1), valid(1, 1, 0.1), valid(1, 2, 0.05), valid(1, 3, 0.2)],
    });
    expect(evicted).toEqual([valid(1, 0, 0).id, valid(1, 2, 0).id]);
  });

  it('rows that do not fit together are an error, never a guess', () => {
    const settings = settingsOf();
    const { memberships, cells, state } = snapshot(grown(settings));
    expect(() => loadPopulation(settings.population, [], [], state)).toThrow(/expected 1 programs, got 0/);
    expect(() =>
      loadPopulation(settings.population, memberships, [{ island: 0, cell: '0-0', program: 'nobody', fit: 0 }], state),
    ).toThrow(/nobody/);
    expect(() => loadPopulation({ ...settings.population, islands: 2 }, memberships, cells, state)).toThrow(
      /islands 0 to 1/,
    );
  });
});

/** Some of the children as if a person had put them into an island. */
const someInjected = (
  children: readonly Child[],
  { population: { islands } }: WorldSettings,
  seed: number,
): readonly Child[] => {
  const random = rng(seed, 'injected');
  return children.map((child) =>
    random.int(6) === 0 ? { ...child, parent: null, island: random.int(islands) } : child,
  );
};

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

/** Compares as text, which is quick, and as values only to say what differs. */
const expectSame = (a: unknown, b: unknown): void => {
  if (JSON.stringify(a) !== JSON.stringify(b)) expect(a).toEqual(b);
};
