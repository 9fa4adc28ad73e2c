// The statements that reach a server keep the shape rules.
import type { Collection, Document } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { DriverCollection } from '../../../../activities/store/mongo/driver-collection.ts';

type Row = { readonly _id: string; readonly run: string; readonly n: number };
const ids = Array.from({ length: 1234 }, (_, i) => `id ${i}`);
const rows = ids.map((_id, n): Row => ({ _id, run: 'r', n }));

const recorded = () => {
  const calls: { readonly verb: string; readonly args: readonly unknown[] }[] = [];
  const record =
    (verb: string, answer: unknown) =>
    (...args: unknown[]) => {
      calls.push({ verb, args });
      return answer;
    };
  const none = { toArray: async () => [] };
  const driver = {
    collectionName: 'fake',
    find: record('find', none),
    findOne: record('findOne', null),
    insertMany: record('insertMany', {}),
    updateOne: record('updateOne', { matchedCount: 1 }),
    bulkWrite: record('bulkWrite', {}),
    deleteMany: record('deleteMany', {}),
  };
  return { calls, collection: new DriverCollection<Row>(driver as unknown as Collection<Document>) };
};

describe('statements', () => {
  it('ask for at most 100 ids at once and write hundreds at once, unordered', async () => {
    const { calls, collection } = recorded();
    await collection.getMany(ids);
    const asked = calls.map(({ args }) => (args[0] as { _id: { $in: string[] } })._id.$in);
    expect(asked.flat()).toEqual(ids);
    expect(Math.max(...asked.map(({ length }) => length))).toBeLessThanOrEqual(100);
    calls.length = 0;
    await collection.insertAll(rows);
    await collection.replaceAll(rows);
    expect(calls.map(({ verb, args }) => [verb, (args[0] as unknown[]).length, args[1]])).toEqual(
      ['insertMany', 'bulkWrite'].flatMap((verb) => [500, 500, 234].map((size) => [verb, size, { ordered: false }])),
    );
    calls.length = 0;
    await collection.deleteAll(ids, { n: { $lt: 3 } });
    const gone = calls.map(({ args }) => args[0] as { _id: { $in: string[] }; n: object });
    expect(gone.flatMap(({ _id }) => _id.$in)).toEqual(ids);
    expect(Math.max(...gone.map(({ _id }) => _id.$in.length))).toBeLessThanOrEqual(100);
    expect(gone.every(({ n }) => JSON.stringify(n) === '{"$lt":3}')).toBe(true);
  });

  it('name _id first, and the run first where there is no _id', async () => {
    const { calls, collection } = recorded();
    await collection.update('id 1', { run: 'r', n: { $lt: 3 } }, { $set: { n: 3 } });
    await collection.upsert('id 1', { n: { $lt: 3 } }, { run: 'r', n: 3 });
    await collection.replaceAll(rows.slice(0, 1), { n: { $lt: 3 } });
    await collection.find({ run: 'r', n: 1 }, ['n']);
    const filters = calls.map(({ verb, args }) =>
      verb === 'bulkWrite'
        ? (args[0] as { replaceOne: { filter: object } }[])[0]!.replaceOne.filter
        : (args[0] as object),
    );
    expect(filters.map((filter) => Object.keys(filter))).toEqual([
      ['_id', 'run', 'n'],
      ['_id', 'n'],
      ['_id', 'n'],
      ['run', 'n'],
    ]);
    expect(calls.at(-1)!.args[1]).toEqual({ projection: { _id: 1, n: 1 } });
  });

  it('are not sent for nothing', async () => {
    const { calls, collection } = recorded();
    await Promise.all([
      collection.getMany([]),
      collection.insertAll([]),
      collection.replaceAll([]),
      collection.deleteAll([]),
    ]);
    expect(calls).toEqual([]);
  });
});
