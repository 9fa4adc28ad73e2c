// The rules of the controls' populations (docs/methods/controls.md): OpenEvolve's displaced elites and islands of slots,
// ShinkaEvolve's random migrants, members that compete for cells anew, and epochs without progress.
import { describe, expect, it } from 'vitest';
import { contextsOf } from '../../../evolution/context/context.ts';
import { openevolveDefaults, shinkaevolveDefaults } from '../../../evolution/methods/controls.ts';
import { stagnantAfter } from '../../../evolution/population/explored.ts';
import { commitStep } from '../../../evolution/population/insertion.ts';
import { drawParents } from '../../../evolution/selection/selection.ts';
import { grown, initial, settingsOf, valid } from '../../support/worlds/populations.ts';

const LENGTHS = { map: 'grid', features: [{ name: 'length', min: 0, max: 1000 }], bins: 2 } as const;
const idsOn = (population: ReturnType<typeof grown>, island: number) =>
  population.islands[island]!.byBirth.map(({ bornSeq }) => bornSeq);

describe('an elite that loses its cell', () => {
  const children = [[valid(1, 0, 1)], [valid(2, 0, 2)]];

  it.each([
    ['stays', [0, 1_000_000, 2_000_000]],
    ['leaves', [2_000_000]],
  ] as const)('%s on its island', (displaced, left) => {
    const population = grown(settingsOf({ ...LENGTHS, islands: 2, displaced }), children);
    expect(idsOn(population, 0)).toEqual(left);
    // The initial program is on the other island too, and so it is alive.
    expect(idsOn(population, 1)).toEqual([0]);
    expect(population.members.size).toBe(displaced === 'stays' ? 3 : 2);
  });

  it('hands its place in the archive on before it goes, and the initial program stays where it is kept', () => {
    const settings = settingsOf({ ...LENGTHS, islands: 1, archive: 1, displaced: 'leaves' }, { topology: 'none' });
    expect(grown(settings, children).archive.byBirth.map(({ fit }) => fit)).toEqual([2]);
    const kept = { ...settings, population: { ...settings.population, keepInitial: true } };
    expect(idsOn(grown(kept, children), 0)).toEqual([0, 2_000_000]);
  });
});

it('a child enters the island that its slot was drawn for, though its parent lives elsewhere', () => {
  const settings = settingsOf({ islands: 2, childIsland: 'slot' }, {}, { kind: 'best', pool: 'population' });
  const population = grown(settings, [[valid(1, 0, 5)]]);
  const draws = (childIsland: 'slot' | 'parent') =>
    drawParents({
      population,
      step: 2,
      batch: 2,
      seed: 1,
      settings: { ...settings, population: { ...settings.population, childIsland } },
    }).map(({ island }) => island);
  expect(draws('slot')).toEqual([0, 1]);
  expect(draws('parent')).toEqual([0, 0]);
});

describe('when bounds move', () => {
  const steps = [
    [valid(1, 0, 3, { length: 200 })],
    [valid(2, 0, 1, { length: 160 })],
    [valid(3, 0, 0.6, { length: 260 })],
  ];
  const owners = (rebin: 'members' | 'elites') =>
    grown(settingsOf({ map: 'grid', features: ['length'], bins: 2, islands: 1, rebin }, { topology: 'none' }), steps)
      .maps[0]!.cells;

  it('every member competes for the cells anew, or the elites alone', () => {
    // Bounds were 100 to 200, and 160 lost to 200; up to 260 it stands in the lower half, with the worse 100.
    expect([...owners('elites').values()].map(({ length }) => length).sort()).toEqual([100, 200]);
    expect([...owners('members').values()].map(({ length }) => length).sort()).toEqual([160, 200]);
  });
});

describe('random migrants', () => {
  const settings = settingsOf(
    { islands: 3, map: 'none' },
    { style: 'random', topology: 'complete', interval: 1, rate: 0.5 },
  );
  const children = Array.from({ length: 6 }, (_, slot) => valid(1, slot, 1 + slot));

  it('are made on the island, never its best, and each goes to one other island', () => {
    const population = grown(settings);
    const { migrated } = commitStep({ population, children, step: 1, settings });
    expect(migrated.length).toBe(3);
    expect(new Set(migrated.map(({ id }) => id)).size).toBe(3);
    expect(migrated.every(({ from, to }) => from === 0 && to !== 0)).toBe(true);
    const made = children.slice(0, -1).map(({ id }) => id);
    expect(migrated.every(({ id }) => made.includes(id))).toBe(true);
    expect(commitStep({ population, children, step: 1, settings }).migrated).toEqual(migrated);
  });

  it('do not go with a rate of 0', () => {
    const still = { ...settings, migration: { ...settings.migration, rate: 0 } };
    expect(commitStep({ population: grown(still), children, step: 1, settings: still }).migrated).toEqual([]);
  });
});

describe('inspirations', () => {
  it.each([
    ['neighbours', openevolveDefaults],
    ['archive', shinkaevolveDefaults],
  ] as const)('by %s: the best that is not shown yet, nobody twice, never the parent', (by, { prompt, selection }) => {
    const settings = settingsOf(
      { islands: 1, archive: 6, map: by === 'archive' ? 'none' : 'grid' },
      { topology: 'none' },
    );
    const population = grown(settings, [
      Array.from({ length: 8 }, (_, slot) => valid(1, slot, slot, { length: 50 * slot })),
    ]);
    const [best, second] = [7, 6].map((fit) => population.all.byBirth.find((member) => member.fit === fit)!.id);
    const show = contextsOf({
      population,
      prompt: { ...prompt, elites: 1, inspirations: 3 },
      settings: settings.population,
      selection,
      seed: 3,
      step: 2,
    });
    const shown = show({ parent: population.all.byBirth[1]!.id, island: 0, group: 0 });
    expect(shown.map(({ role }) => role)).toEqual(['elite', 'inspiration', 'inspiration', 'inspiration']);
    expect(shown[0]!.id).toBe(best);
    expect(new Set(shown.map(({ id }) => id)).size).toBe(4);
    expect(shown[1]!.id).toBe(second);
    if (by === 'archive') expect(shown.every(({ id }) => population.archive.byId.has(id))).toBe(true);
  });
});

describe('epochs without progress', () => {
  const settings = settingsOf({ islands: 2 });
  const population = grown(settings, [[valid(1, 0, 2), valid(1, 1, 1, { island: 1 })]]);
  const after = (before: number, children: Parameters<typeof stagnantAfter>[2], initialisation = 1) =>
    stagnantAfter(before, population, children, { population: { initialisation } });

  it('count until an own child becomes the best of its island', () => {
    expect(after(3, [valid(2, 0, 2), valid(2, 1, 0, { island: 1 })])).toBe(4);
    // 1.5 is worse than the run's best, and better than its island's.
    expect(after(3, [valid(2, 0, 2), valid(2, 1, 1.5, { island: 1 })])).toBe(0);
  });

  it('do not count injected programs, steps without groups, and the initialisation', () => {
    expect(after(3, [])).toBe(3);
    expect(after(3, [valid(2, 0, 9, { parent: null }), valid(2, 1, 0, { island: 1 })])).toBe(4);
    expect(after(3, [initial(0)])).toBe(3);
    expect(after(3, [valid(2, 0, 0)], 10)).toBe(3);
  });
});
