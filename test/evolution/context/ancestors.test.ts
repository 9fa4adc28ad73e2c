// The chain of ancestors (CodeEvolve 4.2; CodeEvolve 5 and 6).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ancestorsOf, type Descent, nextAncestor } from '../../../evolution/context/context.ts';

type Born = { readonly parent: string | null; readonly island: number; readonly founder?: true };
const familyOf =
  (programs: Readonly<Record<string, Born>>) =>
  (id: string): Descent | undefined => {
    const born = programs[id];
    return (
      born && {
        parents: born.parent === null ? [] : [born.parent],
        island: born.island,
        ...(born.founder ? { founder: true } : {}),
      }
    );
  };

describe('ancestors', () => {
  const find = familyOf({
    initial: { parent: null, island: 0 },
    a: { parent: 'initial', island: 1 },
    b: { parent: 'a', island: 1 },
    c: { parent: 'b', island: 1 },
    d: { parent: 'c', island: 1 },
    // c has migrated to island 2 and had a child and a grandchild there.
    e: { parent: 'c', island: 2 },
    f: { parent: 'e', island: 2 },
    founder: { parent: 'initial', island: 3, founder: true },
    g: { parent: 'founder', island: 3 },
    h: { parent: 'g', island: 3 },
  });
  const of = (id: string, island: number, count = 10) => ancestorsOf(id, { count, island, find });

  it('are the nearest k, oldest first', () => {
    expect(of('d', 1)).toEqual(['initial', 'a', 'b', 'c']);
    expect(of('d', 1, 2)).toEqual(['b', 'c']);
    expect(of('d', 1, 0)).toEqual([]);
    expect(of('initial', 0)).toEqual([]);
  });
  it('a migrant has none on its new island, and no chain crosses it', () => {
    expect(of('c', 2)).toEqual([]);
    expect(of('f', 2)).toEqual(['c', 'e']);
    expect(of('c', 1)).toEqual(['initial', 'a', 'b']);
  });
  it('a seed program is a root: its children see it, not the initial program', () => {
    expect(of('founder', 3)).toEqual([]);
    expect(of('h', 3)).toEqual(['founder', 'g']);
  });
  it('end before a program that is not found', () => {
    expect(ancestorsOf('d', { count: 9, island: 1, find: (id) => (id === 'a' ? undefined : find(id)) })).toEqual([
      'b',
      'c',
    ]);
    expect(of('nobody', 1)).toEqual([]);
  });
  it('step by step: nextAncestor is the parent, null at a root', () => {
    expect(['d', 'a', 'initial'].map((id) => nextAncestor(find(id)!, 1))).toEqual(['c', 'initial', null]);
    expect(nextAncestor(find('c')!, 2)).toBeNull();
    expect(nextAncestor(find('founder')!, 3)).toBeNull();
  });

  it('CodeEvolve 6: each is the parent of the next, born on this island but for the oldest, and only the oldest may be a root', () => {
    const histories = fc.array(
      fc.record({ parent: fc.nat(), island: fc.integer({ min: 0, max: 2 }), founder: fc.boolean() }),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(
        histories,
        fc.integer({ min: 0, max: 8 }),
        fc.integer({ min: 0, max: 2 }),
        (history, count, island) => {
          const among = familyOf(
            Object.fromEntries(
              history.map(({ parent, founder, ...born }, index) => [
                `p${index}`,
                {
                  ...born,
                  parent: index === 0 ? null : `p${parent % index}`,
                  ...(founder ? { founder: true as const } : {}),
                },
              ]),
            ),
          );
          const id = `p${history.length - 1}`;
          const chain = [...ancestorsOf(id, { count, island, find: among }), id];
          expect(chain.length - 1).toBeLessThanOrEqual(count);
          for (const [index, ancestor] of chain.slice(0, -1).entries()) {
            const child = among(chain[index + 1]!)!;
            expect(child.parents[0]).toBe(ancestor);
            expect(child.island).toBe(island);
            expect(child.founder).toBeUndefined();
          }
          // It ended at a root, or at k.
          const oldest = among(chain[0]!)!;
          expect(
            chain.length - 1 === count ||
              oldest.parents.length === 0 ||
              oldest.island !== island ||
              oldest.founder === true,
          ).toBe(true);
        },
      ),
      { numRuns: 500, seed: 11 },
    );
  });
});
