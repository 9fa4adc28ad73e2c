// Running bounds of each island's own (`population.bounds: island`): what another island makes moves no cell.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scalingOn, spaceOf } from '../../../evolution/archives/cell-space.ts';
import { commitStep } from '../../../evolution/population/insertion.ts';
import { islandView } from '../../../evolution/population/island-coupling.ts';
import { applyChangeSet, rowsOf } from '../../../evolution/population/population.ts';
import { grown, initial, randomChildren, settingsOf, valid } from '../../support/worlds/populations.ts';

const settings = settingsOf(
  { bounds: 'island', features: ['score', 'length'], cap: 500 },
  { unit: 'steps', interval: 3 },
);
const space = spaceOf(settings.population, settings.seed)!;

describe('bounds of each island', () => {
  it('are the minimum and maximum of all that ever entered it, migrants too; every elite stands in the cell that they give', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const population = grown(settings, []);
        const entered = population.islands.map(({ byBirth }) => [...byBirth]);
        for (let step = 1; step <= 7; step++) {
          const changeSet = commitStep({
            population,
            children: randomChildren(population, settings, step, seed),
            step,
            settings,
          });
          for (const { island, ...member } of changeSet.add) if (island >= 0) entered[island]!.push(member);
          applyChangeSet(population, changeSet);
          expect(population.state.bounds).toBeNull();
          for (const [island, members] of entered.entries()) {
            const of = (values: readonly number[]) => [Math.min(...values), Math.max(...values)];
            expect(population.state.islandBounds![island]).toEqual({
              score: of(members.map(({ fit }) => fit)),
              length: of(members.map(({ length }) => length)),
            });
            for (const [cell, elite] of population.maps[island]!.cells)
              expect(space.cellOf(elite, scalingOn(population.state, island))).toBe(cell);
          }
        }
      }),
      { numRuns: 25 },
    );
  });

  it('a program of extreme score moves the cells of its own island only', () => {
    const children = [0, 1].flatMap((island) =>
      [0.2, 0.4, 0.8].map((fit, index) => valid(1, island * 3 + index, fit, { island, length: 100 + index })),
    );
    const population = grown(settings, [children], initial(0));
    const cells = (island: number) =>
      rowsOf(population)
        .cells.filter((cell) => cell.island === island)
        .map(({ cell, program }) => [cell, program]);
    const before = [cells(0), cells(1)];
    applyChangeSet(
      population,
      commitStep({ population, children: [valid(2, 0, 1_000, { island: 1 })], step: 2, settings }),
    );
    expect(cells(0)).toEqual(before[0]);
    expect(cells(1)).not.toEqual(before[1]);
  });

  it('an island that is brought forward apart is what the whole makes of it, until islands migrate', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const population = grown(settings, []);
        applyChangeSet(
          population,
          commitStep({ population, children: randomChildren(population, settings, 1, seed), step: 1, settings }),
        );
        const views = population.islands.map((_, island) => islandView(population, island));
        const children = randomChildren(population, settings, 2, seed).map(({ sameAs: _, ...child }) => child);
        applyChangeSet(population, commitStep({ population, children, step: 2, settings }));
        const of = (rows: ReturnType<typeof rowsOf>, island: number) => [
          rows.memberships.filter((row) => row.island === island),
          rows.cells.filter((row) => row.island === island),
        ];
        for (const [island, view] of views.entries()) {
          applyChangeSet(
            view,
            commitStep({
              population: view,
              children: children.filter((child) => child.island === island),
              step: 2,
              settings,
            }),
          );
          expect(of(rowsOf(view), island)).toEqual(of(rowsOf(population), island));
          expect(view.state.islandBounds![island]).toEqual(population.state.islandBounds![island]);
        }
      }),
      { numRuns: 25 },
    );
  });
});
