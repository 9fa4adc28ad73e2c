// PUCT reuse (TTT-Discover, arXiv 2601.16175): the formula by hand and against a plain second implementation, and the
// memory of a batch.
import { describe, expect, it } from 'vitest';
import type { PopulationSettings, SelectionSettings } from '../../../evolution/config/run-config.ts';
import { thetaDefaults } from '../../../evolution/methods/theta.ts';
import { loadPopulation, type Population } from '../../../evolution/population/population.ts';
import { FAILURE_FIT } from '../../../evolution/scoring/failures.ts';
import { drawParents } from '../../../evolution/selection/selection.ts';
import type { Member, ProgramId, Tally } from '../../../evolution/types.ts';
import { runWorld, settingsOf } from '../../support/worlds/populations.ts';

const draws = (
  population: Population,
  {
    batch = 1,
    step = 1,
    seed = 7,
    ...selection
  }: Partial<SelectionSettings> & { batch?: number; step?: number; seed?: number } = {},
) =>
  drawParents({
    population,
    step,
    batch,
    seed,
    settings: {
      population: population.settings,
      selection: { ...thetaDefaults.selection, kind: 'puct', pool: 'population', ...selection },
    },
  }).map(({ parent }) => parent);

type Node = {
  readonly id: ProgramId;
  readonly fit: number;
  readonly parent?: ProgramId;
  readonly visits?: number;
  readonly best?: number;
};
/** One island; born in this order, the first one the initial program. */
const tree = (nodes: readonly Node[], picks = 0): Population =>
  loadPopulation(
    settingsOf({ islands: 1 }).population,
    nodes.map(({ id, fit }, bornSeq) => ({ id, fit, bornSeq, length: 10, home: 0, island: 0 })),
    [],
    { bounds: null, generations: [0], lastMigration: 0, size: nodes.length, best: null, picks },
    nodes.map(({ id, parent = null, visits = 0, best = null }): Tally => ({ id, parent, children: 0, visits, best })),
  );

/** The formula as it stands in docs/population.md, and blocking by looking at all pairs. */
const plainly = (
  population: Population,
  poolOn: (island: number) => readonly Member[],
  batch: number,
  c: number,
): readonly ProgramId[] => {
  const parentOf = (id: ProgramId) => population.tallies.get(id)?.parent ?? null;
  const above = (id: ProgramId): ProgramId[] => {
    const parent = parentOf(id);
    return parent === null ? [] : [parent, ...above(parent)];
  };
  const related = (a: ProgramId, b: ProgramId) => a === b || above(a).includes(b) || above(b).includes(a);
  const picks: ProgramId[] = [];
  const since = new Map<string, number>();
  for (let group = 0; group < batch; group++) {
    const pool = [...poolOn(group % population.islands.length)].sort((a, b) => b.fit - a.fit || a.bornSeq - b.bornSeq);
    const key = pool.map(({ id }) => id).join(' ');
    const made = pool.filter(({ bornSeq }) => bornSeq !== 0).map(({ fit }) => fit);
    const scale = Math.max(made.length === 0 ? 0 : Math.max(...made) - Math.min(...made), 1e-6);
    const sum = pool.reduce((total, _, rank) => total + pool.length - rank, 0);
    const value = ({ id, fit }: Member) => {
      const { visits, best } = population.tallies.get(id) ?? { visits: 0, best: null };
      const prior = (pool.length - pool.findIndex((member) => member.id === id)) / sum;
      return (
        (visits > 0 && best !== null ? best : fit) +
        (c * scale * prior * Math.sqrt(1 + (population.state.picks ?? 0))) / (1 + visits)
      );
    };
    const best = (from: readonly Member[]) =>
      from.reduce<Member | null>((top, member) => (top === null || value(member) > value(top) ? member : top), null);
    const free = pool.filter(({ id }) => !picks.slice(since.get(key) ?? 0).some((pick) => related(pick, id)));
    if (free.length === 0) since.set(key, picks.length);
    picks.push(best(free.length === 0 ? pool : free)!.id);
  }
  return picks;
};

describe('the value', () => {
  it('without visits: own fit plus c * scale * P * sqrt(1 + T)', () => {
    // Ranks: b, c, a; P = 3/6, 2/6, 1/6; scale 1 (without a): b 10.5, c 9.33.
    expect(
      draws(
        tree([
          { id: 'a', fit: 1 },
          { id: 'b', fit: 10 },
          { id: 'c', fit: 9 },
        ]),
      ),
    ).toEqual(['b']);
  });
  it('visits lower the bonus, and the best child takes the place of the own fit', () => {
    const nodes = (visits: number, best?: number): Node[] => [
      { id: 'a', fit: 0 },
      { id: 'b', fit: 10, visits, ...(best === undefined ? {} : { best }) },
      { id: 'c', fit: 9.8 },
    ];
    // scale 0.2, P 1/2 and 1/3: visited once, b 10 + 0.05 sqrt(1 + T), c 9.8 + 0.067 sqrt(1 + T).
    expect(draws(tree(nodes(1)))).toEqual(['b']);
    expect(draws(tree(nodes(1), 200))).toEqual(['c']);
    expect(draws(tree(nodes(1, 9)))).toEqual(['c']);
    expect(draws(tree(nodes(1, 11), 200))).toEqual(['b']);
    expect(
      draws(
        tree([
          { id: 'a', fit: 0, visits: 1, best: 12 },
          { id: 'b', fit: 10 },
          { id: 'c', fit: 9 },
        ]),
      ),
    ).toEqual(['a']);
  });
  it('a best child counts from the first visit on', () =>
    expect(
      draws(
        tree([
          { id: 'a', fit: 0 },
          { id: 'b', fit: 2 },
          { id: 'c', fit: 1, best: 50 },
        ]),
      ),
    ).toEqual(['b']));
  it('c 0 is greedy, a large c follows visits', () => {
    const nodes = [
      { id: 'a', fit: 0 },
      { id: 'b', fit: 3, visits: 30, best: 3 },
      { id: 'c', fit: 2, visits: 3, best: 2 },
      { id: 'd', fit: 1 },
    ];
    expect(draws(tree(nodes, 40), { c: 0 })).toEqual(['b']);
    expect(draws(tree(nodes, 40), { c: 1000 })).toEqual(['d']);
  });
  it("the initial program's fit does not count in the scale, equal values go by merit, then by age", () => {
    const far = tree([
      { id: 'a', fit: -1e6 },
      { id: 'b', fit: 1, visits: 1, best: 1 },
      { id: 'c', fit: 0.9 },
    ]);
    expect(draws(far)).toEqual(['b']);
    expect(
      draws(
        tree([
          { id: 'a', fit: 1, visits: 1, best: 1 },
          { id: 'b', fit: 1, visits: 1, best: 1 },
        ]),
        { c: 0 },
      ),
    ).toEqual(['a']);
    expect(
      draws(
        tree([
          { id: 'a', fit: 1, visits: 1, best: 5 },
          { id: 'b', fit: 2, visits: 1, best: 5 },
        ]),
        { c: 0 },
      ),
    ).toEqual(['b']);
  });
  it('stays finite for the largest scores, and for one program alone', () => {
    expect(
      draws(
        tree(
          [
            { id: 'a', fit: 0, visits: 9 },
            { id: 'b', fit: 1.7e308, visits: 9, best: 1.7e308 },
            { id: 'c', fit: -1e308 },
          ],
          1e6,
        ),
        { c: 1000 },
      ),
    ).toEqual(['c']);
    expect(draws(tree([{ id: 'a', fit: -3 }]), { batch: 3 })).toEqual(['a', 'a', 'a']);
  });
  it('an admitted failure is taken only where there is nothing else, though its child is the best', () => {
    const failure = { id: 'f', fit: FAILURE_FIT.invalid, visits: 1, best: 100 };
    expect(draws(tree([{ id: 'a', fit: 0 }, failure, { id: 'b', fit: 1 }]), { batch: 9 })).not.toContain('f');
    expect(draws(tree([failure]))).toEqual(['f']);
  });
});

describe('a batch', () => {
  //      a
  //    b   e
  //   c d   f
  const family = tree([
    { id: 'a', fit: 0 },
    { id: 'b', fit: 5, parent: 'a' },
    { id: 'c', fit: 9, parent: 'b' },
    { id: 'd', fit: 8, parent: 'b' },
    { id: 'e', fit: 7, parent: 'a' },
    { id: 'f', fit: 6, parent: 'e' },
  ]);
  it('a pick blocks its ancestors and descendants; when all are blocked, blocking starts afresh', () => {
    expect(draws(family, { batch: 7, c: 0 })).toEqual(['c', 'd', 'e', 'c', 'd', 'e', 'c']);
  });
  it('links go through the dead', () => {
    const gap = loadPopulation(
      family.settings,
      ['a', 'c', 'd', 'f'].map((id) => ({ ...family.members.get(id)!, island: 0 })),
      [],
      { ...family.state, size: 4 },
      family.tallies.values(),
    );
    expect(draws(gap, { batch: 4, c: 0 })).toEqual(['c', 'd', 'f', 'c']);
  });
  it('depends on no seed and no step, and a longer batch begins alike', () => {
    expect(draws(family, { batch: 9, seed: 8, step: 5 })).toEqual(draws(family, { batch: 9 }));
    expect(draws(family, { batch: 9 }).slice(0, 4)).toEqual(draws(family, { batch: 4 }));
  });

  const worlds: readonly (readonly [string, Partial<PopulationSettings>, Partial<SelectionSettings>])[] = [
    ['population', { islands: 1 }, { pool: 'population' }],
    ['population', { islands: 3, siblings: 2 }, { pool: 'population', c: 0.2 }],
    ['island', { islands: 3, keepInitial: true }, { pool: 'island' }],
    ['island', { islands: 4, cap: 25 }, { pool: 'island', c: 20 }],
  ];
  it.each(worlds)(
    'is what the plain formula and all pairs give, step after step (pool %s, world %#)',
    (pool, population, selection) => {
      const settings = settingsOf(population, {}, { kind: 'puct', ...selection });
      runWorld(settings, 5, 15, ({ step, population: now }) => {
        const poolOn = (island: number) =>
          (pool === 'population' || now.islands[island]!.byBirth.length === 0 ? now.all : now.islands[island]!).byBirth;
        for (const batch of [1, 40]) {
          // Step 1 begins with island 0.
          const parents = drawParents({ population: now, step: 1, batch, seed: step, settings }).map(
            ({ parent }) => parent,
          );
          expect(parents).toEqual(plainly(now, poolOn, batch, settings.selection.c));
        }
      });
    },
  );
});
