// Lines that were deleted along a lineage, read back from stored deltas.
import { expect, it } from 'vitest';
import { DeletedLines } from '../../../../activities/step/apply/deleted-lines.ts';
import { memoryStore } from '../../../doubles/memory-store.ts';
import { delta } from '../../store/fixtures.ts';

const stored = async () => {
  const store = memoryStore();
  const edge = (step: number, parent: string | null, deleted: readonly string[]) => ({
    ...delta('r', step, 0),
    parent,
    lines: { added: 0, reintroduced: 0, deleted, returned: [] },
  });
  const root = { ...delta('r', 0, 0), parent: null };
  const [a, b, c] = [
    edge(1, root._id, ['x', 'y']),
    edge(2, delta('r', 1, 0)._id, []),
    edge(3, delta('r', 2, 0)._id, ['z']),
  ];
  await store.putDeltas([root, a, b, c]);
  let reads = 0;
  const counted = {
    getDeltas: (ids: readonly string[]) => {
      reads += 1;
      return store.getDeltas(ids);
    },
  };
  return {
    ids: [root._id, a._id, b._id, c._id] as const,
    deleted: new DeletedLines(counted),
    reads: () => reads,
  };
};

it('everything that an edge from the root to the program deleted; deltas without counts and roots delete nothing', async () => {
  const {
    ids: [root, a, b, c],
    deleted,
  } = await stored();
  const sets = await deleted.before([c, a, root, b]);
  expect([root, a, b, c].map((id) => [...sets.get(id)!].sort())).toEqual([[], ['x', 'y'], ['x', 'y'], ['x', 'y', 'z']]);
});

it('what is known is not read again, and programs that are not stored have deleted nothing', async () => {
  const {
    ids: [, , b, c],
    deleted,
    reads,
  } = await stored();
  await deleted.before([b]);
  const before = reads();
  expect([...(await deleted.before([c])).get(c)!].sort()).toEqual(['x', 'y', 'z']);
  expect(reads() - before).toBeLessThanOrEqual(2);
  expect([...(await deleted.before(['nobody'])).get('nobody')!]).toEqual([]);
});
