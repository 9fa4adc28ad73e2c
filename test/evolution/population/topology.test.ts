// Topologies of migration: the laws of each graph, and what migration along it does to memberships.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commitStep } from '../../../evolution/population/insertion.ts';
import { targetsOf, type Topology } from '../../../evolution/population/migration.ts';
import { applyChangeSet, rowsOf } from '../../../evolution/population/population.ts';
import { ARCHIVE } from '../../../evolution/types.ts';
import { failed, runWorld, settingsOf } from '../../support/worlds/populations.ts';

const ALL: readonly Topology[] = ['ring', 'directed-ring', 'complete', 'star-in', 'star-out', 'star', 'none'];
const topologies = fc.constantFrom(...ALL);
const counts = fc.integer({ min: 1, max: 60 });
const range = (count: number) => Array.from({ length: count }, (_, island) => island);
const graphOf = (topology: Topology, count: number) => range(count).map((island) => targetsOf(topology, island, count));
const reverse = (graph: readonly (readonly number[])[]) =>
  graph.map((_, to) => range(graph.length).filter((from) => graph[from]!.includes(to)));
const sorted = (graph: readonly (readonly number[])[]) => graph.map((targets) => [...targets].sort((a, b) => a - b));

/** Islands sent to and received from, for island 0 and for each other one. */
const DEGREES: {
  readonly [topology in Topology]: (count: number) => {
    readonly out: readonly [number, number];
    readonly in: readonly [number, number];
  };
} = {
  ring: (count) => ({
    out: [Math.min(2, count - 1), Math.min(2, count - 1)],
    in: [Math.min(2, count - 1), Math.min(2, count - 1)],
  }),
  'directed-ring': (count) => ({ out: [Math.min(1, count - 1), 1], in: [Math.min(1, count - 1), 1] }),
  complete: (count) => ({ out: [count - 1, count - 1], in: [count - 1, count - 1] }),
  'star-in': (count) => ({ out: [0, 1], in: [count - 1, 0] }),
  'star-out': (count) => ({ out: [count - 1, 0], in: [0, 1] }),
  star: (count) => ({ out: [count - 1, 1], in: [count - 1, 1] }),
  none: () => ({ out: [0, 0], in: [0, 0] }),
};

describe('targets', () => {
  it('are other islands that there are, none twice', () => {
    fc.assert(
      fc.property(topologies, counts, (topology, count) => {
        for (const [island, targets] of graphOf(topology, count).entries()) {
          expect(targets).not.toContain(island);
          expect(new Set(targets).size).toBe(targets.length);
          expect(targets.every((target) => Number.isInteger(target) && target >= 0 && target < count)).toBe(true);
        }
      }),
      { seed: 3 },
    );
  });

  it('are as many as the topology says, out and in', () => {
    fc.assert(
      fc.property(topologies, counts, (topology, count) => {
        const degrees = DEGREES[topology](count);
        const graph = graphOf(topology, count);
        for (const [ways, expected] of [
          [graph, degrees.out],
          [reverse(graph), degrees.in],
        ] as const) {
          expect(ways.map((targets) => targets.length)).toEqual(
            range(count).map((island) => expected[island === 0 ? 0 : 1]),
          );
        }
      }),
      { seed: 4 },
    );
  });

  it('ring, complete, star and none are symmetric; the star in is the star out turned round; two directed rings make the ring', () => {
    fc.assert(
      fc.property(counts, (count) => {
        for (const topology of ['ring', 'complete', 'star', 'none'] as const)
          expect(sorted(graphOf(topology, count))).toEqual(reverse(graphOf(topology, count)));
        expect(sorted(graphOf('star-in', count))).toEqual(reverse(graphOf('star-out', count)));
        const directed = graphOf('directed-ring', count);
        const back = reverse(directed);
        expect(sorted(graphOf('ring', count))).toEqual(
          sorted(directed.map((targets, island) => [...new Set([...targets, ...back[island]!])])),
        );
      }),
      { seed: 5 },
    );
  });

  it('serve the next neighbour of the ring first, others by number', () => {
    expect(graphOf('ring', 4)).toEqual([
      [1, 3],
      [2, 0],
      [3, 1],
      [0, 2],
    ]);
    expect(graphOf('directed-ring', 3)).toEqual([[1], [2], [0]]);
    expect(graphOf('complete', 3)).toEqual([
      [1, 2],
      [0, 2],
      [0, 1],
    ]);
    expect(graphOf('star', 3)).toEqual([[1, 2], [0], [0]]);
  });

  it('a directed ring passes every island', () => {
    fc.assert(
      fc.property(counts, (count) => {
        const seen = new Set<number>();
        for (let island = 0, hop = 0; hop < count; hop++) {
          seen.add(island);
          island = targetsOf('directed-ring', island, count)[0] ?? island;
        }
        expect(seen.size).toBe(count);
      }),
      { seed: 6 },
    );
  });
});

describe('migration along a topology', () => {
  it.each(ALL)(
    '%s: each island gets exactly what its sources send and it lacks; nobody leaves, nobody is copied',
    (topology) => {
      fc.assert(
        fc.property(
          fc.integer({ min: 1, max: 6 }),
          fc.constantFrom(0, 0.1, 0.5, 1),
          fc.integer({ min: 0, max: 1e6 }),
          (islands, rate, seed) => {
            const apart = settingsOf({ islands }, { interval: 1_000_000 });
            const population = runWorld(apart, seed, 4, () => {});
            const before = rowsOf(population).memberships.filter(({ island }) => island !== ARCHIVE);
            const migrants = population.islands.map(({ byBirth }) =>
              [...byBirth]
                .sort((a, b) => b.fit - a.fit || a.bornSeq - b.bornSeq)
                .slice(0, Math.max(1, Math.floor(rate * byBirth.length + 1e-9)))
                .map(({ id }) => id),
            );
            const expected = population.islands.map(
              (roster, to) =>
                new Set([
                  ...roster.byId.keys(),
                  ...migrants.flatMap((sent, from) => (targetsOf(topology, from, islands).includes(to) ? sent : [])),
                ]),
            );
            const changeSet = commitStep({
              population,
              children: [failed(5, 0, 'invalid')],
              step: 5,
              settings: { ...apart, migration: { ...apart.migration, topology, interval: 1, rate } },
            });
            const { size } = population.state;
            applyChangeSet(population, changeSet);
            expect(population.islands.map((roster) => new Set(roster.byId.keys()))).toEqual(expected);
            expect(population.state.size).toBe(size);
            expect(population.all.byBirth.length).toBe(size);
            const after = rowsOf(population).memberships.filter(({ island }) => island !== ARCHIVE);
            expect(after.length).toBe(before.length + changeSet.migrated.length);
            for (const { id, from, to } of changeSet.migrated) {
              expect(targetsOf(topology, from, islands)).toContain(to);
              expect(migrants[from]).toContain(id);
            }
          },
        ),
        { numRuns: 25, seed: 7 },
      );
    },
  );
});
