// Which nodes the history section shows (docs/methods/deltaevolve.md, Who is shown; DeltaEvolve
// 9, 10, 13).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HistoryCandidate, type HistoryChoice, historyPlaces } from '../../../evolution/deltas/history.ts';

type Node = HistoryCandidate & { readonly id: string; readonly fit: number | null; readonly bornSeq: number };

const node = (id: string, change: Partial<Node> = {}): Node => ({
  id,
  origin: id,
  root: false,
  valid: true,
  status: 'full',
  fit: 0,
  bornSeq: 0,
  ...change,
});
const choose = (change: Partial<HistoryChoice<Node>>) =>
  historyPlaces<Node>({
    elites: [],
    diverse: [],
    k: 3,
    m: 2,
    parent: 'none',
    eliteExcludesParent: false,
    missingDelta: 'fallback',
    ...change,
  });
const idsOf = (places: ReturnType<typeof choose>): readonly string[] =>
  places.map(({ role, node: { id } }) => `${role} ${id}`);

/** A run: the root first, some copies of others (the same origin), failures, ties. */
const runs = fc
  .array(
    fc.record({
      fit: fc.option(fc.integer({ min: 0, max: 4 }), { freq: 4 }),
      copyOf: fc.option(fc.nat(20), { freq: 3 }),
      missing: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  .map((drawn) =>
    drawn.reduce<readonly Node[]>(
      (nodes, { fit, copyOf, missing }, index) => {
        const original = copyOf === null ? undefined : nodes[copyOf % nodes.length];
        const id = `p${index + 1}`;
        return [
          ...nodes,
          original && !original.root
            ? { ...original, id, bornSeq: index + 1 }
            : node(id, { fit, valid: fit !== null, bornSeq: index + 1, status: missing ? 'missing' : 'full' }),
        ];
      },
      [node('root', { root: true, fit: 3, status: 'missing' })],
    ),
  );
const ranked = (nodes: readonly Node[]): readonly Node[] =>
  [...nodes].sort((a, b) => (b.fit ?? -Infinity) - (a.fit ?? -Infinity) || a.bornSeq - b.bornSeq);
const worlds = fc
  .record({
    nodes: runs,
    shuffle: fc.nat(),
    k: fc.nat(5),
    m: fc.nat(4),
    parent: fc.nat(20),
    eliteExcludesParent: fc.boolean(),
  })
  .map(({ nodes, shuffle, parent, ...sizes }) => ({
    ...sizes,
    nodes,
    elites: ranked(nodes),
    parent: nodes[parent % nodes.length]!.origin,
    diverse: [...nodes].sort((a, b) => ((a.bornSeq * 7919 + shuffle) % 31) - ((b.bornSeq * 7919 + shuffle) % 31)),
  }));

describe('the history section', () => {
  it('DeltaEvolve 9: elites are the k best valid nodes, root excluded, ties to the older; fewer if fewer exist', () => {
    const nodes = [
      node('root', { root: true, fit: 9 }),
      node('a', { fit: 1, bornSeq: 1 }),
      node('b', { fit: 5, bornSeq: 2 }),
      node('c', { fit: null, valid: false, bornSeq: 3 }),
      node('d', { fit: 5, bornSeq: 4 }),
    ];
    expect(idsOf(choose({ elites: ranked(nodes), k: 2 }))).toEqual(['top b', 'top d']);
    expect(idsOf(choose({ elites: ranked(nodes), k: 9 }))).toEqual(['top b', 'top d', 'top a']);
    fc.assert(
      fc.property(worlds, ({ nodes: all, parent, eliteExcludesParent, k, ...world }) => {
        const eligible = all.filter(
          ({ root, valid, origin }) => !root && valid && !(eliteExcludesParent && origin === parent),
        );
        const origins = [...new Set(ranked(eligible).map(({ origin }) => origin))];
        const top = choose({ ...world, parent, eliteExcludesParent, k }).filter(({ role }) => role === 'top');
        expect(top.map(({ node: { origin } }) => origin)).toEqual(origins.slice(0, k));
      }),
    );
  });

  it('DeltaEvolve 10: no origin appears twice in the history section', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const origins = choose(world).map(({ node: { origin } }) => origin);
        expect(new Set(origins).size).toBe(origins.length);
      }),
    );
  });

  it('DeltaEvolve 13: the root is never rendered; the next rank moves up', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        expect(choose(world).some(({ node: { root } }) => root)).toBe(false);
      }),
    );
    expect(
      idsOf(
        choose({
          elites: [node('root', { root: true }), node('a')],
          diverse: [node('root', { root: true }), node('b')],
          k: 1,
          m: 1,
        }),
      ),
    ).toEqual(['top a', 'diverse b']);
  });

  it('freed places are refilled: m diverse nodes as long as there are candidates (law)', () => {
    expect(
      idsOf(
        choose({
          elites: ['a', 'b', 'c', 'd'].map((id) => node(id)),
          diverse: ['b', 'p', 'a', 'e', 'd', 'f'].map((id) => node(id)),
          parent: 'p',
        }),
      ),
    ).toEqual(['top a', 'top b', 'top c', 'diverse e', 'diverse d']);
    fc.assert(
      fc.property(worlds, (world) => {
        const places = choose(world);
        const top = new Set(places.filter(({ role }) => role === 'top').map(({ node: { origin } }) => origin));
        const left = new Set(
          world.nodes
            .filter(({ root, origin }) => !root && origin !== world.parent && !top.has(origin))
            .map(({ origin }) => origin),
        );
        expect(places.length - top.size).toBe(Math.min(world.m, left.size));
      }),
    );
  });

  it('diverse nodes exclude the parent, elites where it is asked for; skip passes over nodes without delta', () => {
    const elites = [node('p'), node('a', { status: 'missing' }), node('b')];
    expect(idsOf(choose({ elites, diverse: elites, parent: 'p', k: 1 }))).toEqual(['top p', 'diverse a', 'diverse b']);
    expect(idsOf(choose({ elites, diverse: elites, parent: 'p', k: 1, eliteExcludesParent: true }))).toEqual([
      'top a',
      'diverse b',
    ]);
    expect(idsOf(choose({ elites, diverse: elites, parent: 'p', k: 2, missingDelta: 'skip' }))).toEqual([
      'top p',
      'top b',
    ]);
    expect(
      idsOf(
        choose({
          elites: [node('c', { origin: 'p' })],
          diverse: [node('c', { origin: 'p' })],
          parent: 'p',
          eliteExcludesParent: true,
        }),
      ),
    ).toEqual([]);
  });
});
