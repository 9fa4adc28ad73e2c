// The cap of an island (CodeEvolve B.2: Naive) and its initialisation (4.4, Initialization).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../evolution/methods/resolve.ts';
import { commitStep } from '../../../evolution/population/insertion.ts';
import { isInitialising } from '../../../evolution/population/islands.ts';
import { applyChangeSet, emptyPopulation, type Population } from '../../../evolution/population/population.ts';
import { drawParents } from '../../../evolution/selection/selection.ts';
import type { Child } from '../../../evolution/types.ts';
import { expectSame, reloaded } from '../../support/engine/histories.ts';
import { failed, grown, initial, runWorld, settingsOf, valid } from '../../support/worlds/populations.ts';

const naive = (islandCap: number, more: object = {}) =>
  settingsOf({ map: 'none', islands: 2, islandCap, cap: 1000, ...more }, { topology: 'none' });
const fitsOn = ({ islands }: Population, island: number): readonly number[] =>
  islands[island]!.byBirth.map(({ fit }) => fit).sort((a, b) => a - b);

describe('a full island', () => {
  it('takes a newcomer that beats its worst member, strictly; the worst dies and the other island is as it was', () => {
    const settings = naive(3);
    const full = grown(settings, [[valid(1, 0, 2), valid(1, 1, 3), valid(1, 2, 4), valid(1, 3, 1, { island: 1 })]]);
    expect([fitsOn(full, 0), fitsOn(full, 1)]).toEqual([
      [2, 3, 4],
      [0.5, 1],
    ]);
    for (const [fit, after] of [
      [2, [2, 3, 4]],
      [1, [2, 3, 4]],
      [2.5, [2.5, 3, 4]],
      [9, [3, 4, 9]],
    ] as const) {
      const changeSet = commitStep({
        population: grown(settings, [[valid(1, 0, 2), valid(1, 1, 3), valid(1, 2, 4), valid(1, 3, 1, { island: 1 })]]),
        children: [valid(2, 0, fit)],
        step: 2,
        settings,
      });
      const population = applyChangeSet(
        grown(settings, [[valid(1, 0, 2), valid(1, 1, 3), valid(1, 2, 4), valid(1, 3, 1, { island: 1 })]]),
        changeSet,
      );
      expect([fitsOn(population, 0), fitsOn(population, 1)]).toEqual([after, [0.5, 1]]);
      expect(changeSet.evicted).toEqual(fit === 2.5 || fit === 9 ? [valid(1, 0, 2).id] : [valid(2, 0, fit).id]);
    }
  });

  it('takes migrants by the same rule; who is left on no island is evicted, who is on another stays there', () => {
    const settings = settingsOf(
      { map: 'none', islands: 2, islandCap: 2, cap: 1000 },
      { topology: 'ring', style: 'once', unit: 'steps', interval: 2, rate: 1 },
    );
    const population = grown(settings, [
      [valid(1, 0, 2), valid(1, 1, 3), valid(1, 2, 5, { island: 1 }), valid(1, 3, 6, { island: 1 })],
      [failed(2, 0, 'no_diff')],
    ]);
    expect([fitsOn(population, 0), fitsOn(population, 1)]).toEqual([
      [3, 5],
      [5, 6],
    ]);
  });

  it('law: no island has more members than its cap, islands share none of it, and what is stored is what is there', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 3, max: 9 }),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(1000),
        fc.constantFrom('none' as const, 'ring' as const),
        (islandCap, islands, seed, topology) => {
          const settings = settingsOf(
            { map: 'none', islands, islandCap, cap: 1000 },
            { topology: islands === 1 ? 'none' : topology, interval: 7, rate: 0.4 },
          );
          const last = runWorld(settings, seed, 8, ({ population }) => {
            for (const { byId } of population.islands) expect(byId.size).toBeLessThanOrEqual(islandCap);
            for (const id of population.members.keys())
              expect(population.islands.some(({ byId }) => byId.has(id))).toBe(true);
            expect(population.members.has(population.state.best!.id)).toBe(true);
          });
          expectSame(reloaded(last), last);
        },
      ),
      // In the example a migrant is pushed out of the population before it moves to its second island.
      { numRuns: 40, examples: [[5, 4, 254, 'ring']] },
    );
  });

  it('lets the initial program go once the initialisation of the island is over', () => {
    const settings = naive(3, { initialisation: 3, islands: 1 });
    const seedPrograms = [valid(1, 0, 2, { founder: true }), valid(1, 1, 3, { founder: true })];
    expect(fitsOn(grown(settings, [seedPrograms]), 0)).toEqual([0.5, 2, 3]);
    expect(fitsOn(grown(settings, [seedPrograms, [valid(2, 0, 0.7)]]), 0)).toEqual([0.7, 2, 3]);
  });

  it('is refused beside an archive of cells, and below the programs of an initialisation', () => {
    const resolve = (settings: object) => () => resolveConfig([{ settings, where: () => 'test' }]);
    expect(resolve({ population: { islandCap: 60 } })).toThrow(
      /population\.islandCap: an archive of cells keeps its elites.*got grid/,
    );
    expect(resolve({ method: 'naive', population: { islandCap: 9 } })).toThrow(
      /expected at least population\.initialisation \(10\), got 9/,
    );
    expect(resolve({ method: 'naive' })).not.toThrow();
  });
});

describe('the initial phase', () => {
  const settings = settingsOf({ islands: 2, initialisation: 4, map: 'none' }, { topology: 'none' });
  const seedProgram = (step: number, change: Partial<Child> = {}): Child =>
    valid(step, 0, step, { founder: true, ...change });
  const failing = (step: number, change: Partial<Child> = {}): Child =>
    failed(step, 0, 'invalid', { founder: true, ...change });
  const isInitialised = (population: Population, island: number): boolean =>
    !isInitialising(population, island, settings.population);

  it('ends after so many programs: failing executions count, failed edits do not', () => {
    const edits = [1, 2, 3].map((step) => [failed(step, 0, 'no_diff', { founder: true })]);
    expect(isInitialised(grown(settings, edits), 0)).toBe(false);
    const runs = [[failing(1, { evaluated: true })], [seedProgram(2)], [failing(3, { evaluated: true })]];
    expect(runs.map((_, index) => isInitialised(grown(settings, runs.slice(0, index + 1)), 0))).toEqual([
      false,
      false,
      true,
    ]);
    expect(isInitialised(grown(settings, runs), 1)).toBe(false);
  });

  it('is over for good: an island that loses members is not initialised again', () => {
    let population = grown(settings, [[seedProgram(1)], [seedProgram(2)], [seedProgram(3)]]);
    const smaller = { ...settings, population: { ...settings.population, cap: 3, keepInitial: true } };
    population = applyChangeSet(population, commitStep({ population, children: [], step: 4, settings: smaller }));
    expect(population.islands[0]!.byId.size).toBeLessThan(4);
    expect(isInitialised(population, 0)).toBe(true);
    expect(
      drawParents({ population, step: 5, batch: 2, seed: 1, settings }).map(
        ({ branch }) => branch === 'initialisation',
      ),
    ).toEqual([false, true]);
  });

  it('begins with the initial program alone, which counts', () => {
    expect(grown(settings).state.founded).toEqual([0, 0]);
    expect(emptyPopulation(settings.population).state.founded).toBeUndefined();
    expect(grown(settingsOf({ islands: 2 }), [], initial()).state.founded).toBeUndefined();
  });
});
