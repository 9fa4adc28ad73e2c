// Insertion: every rule against a plain second version, and the acceptance properties (ThetaEvolve).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commitStep } from '../../../evolution/population/insertion.ts';
import { applyChangeSet, emptyPopulation, loadPopulation, rowsOf } from '../../../evolution/population/population.ts';
import { rng } from '../../../evolution/rng.ts';
import type { Child } from '../../../evolution/types.ts';
import { expectSame, snapshotOf } from '../../support/engine/histories.ts';
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
  it('ThetaEvolve 4, 5: follows the rules: the same population as the plain version, after every step, for any settings', () => {
    fc.assert(
      fc.property(worlds, seeds, (settings, seed) => {
        const plain = new PlainPopulation(settings);
        runWorld(settings, seed, 6, ({ children, population }) => {
          plain.step(children);
          expectSame(snapshotOf(population), plain.rows());
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
          expectSame(snapshotOf(population), plain.rows());
          expect(population.state.size).toBeLessThanOrEqual(change.cap);
          expect(population.archive.byBirth.length).toBeLessThanOrEqual(change.archive);
        }
      }),
      { numRuns: 30, seed: 13 },
    );
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

  it('ThetaEvolve 13: of equal siblings the lowest slot becomes the program, the other stays a rollout', () => {
    const first = valid(1, 0, 0.7);
    const population = grown(settingsOf(), [[first, valid(1, 1, 0.7, { sameAs: first.id })]]);
    expect([...population.members.keys()].sort()).toEqual([initial().id, first.id].sort());
    expect(population.state.generations[0]).toBe(2);
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

  it('rows that do not fit together are an error, never a guess', () => {
    const settings = settingsOf();
    const { memberships, cells, state } = snapshotOf(grown(settings));
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
