// Two things about stored documents in bulk: documents that never change (prompts, rollouts, deltas, evaluations), with
// a bounded memory so that a commit does not read its step's documents again; and statements of many activities
// gathered into one.
import { getByIds, insertOrGet, type PortableCollection, type Row } from '../documents/collection.ts';
import { COLLECTIONS, type Collections, LARGE_DOCUMENTS } from '../documents/stored.ts';
import { LRUCache } from 'lru-cache';

type Immutable<T extends Row> = {
  /** The stored documents, in the order asked. */
  put(documents: readonly T[]): Promise<readonly T[]>;
  get(ids: readonly string[]): Promise<ReadonlyMap<string, T>>;
};

export const immutableIn = <T extends Row>(collection: PortableCollection<T>, most: number): Immutable<T> => {
  const kept = new LRUCache<string, T>({ max: most });
  const known = (ids: readonly string[]): Map<string, T> =>
    new Map(
      ids.flatMap((id) => {
        const document = kept.get(id);
        return document === undefined ? [] : [[id, document] as const];
      }),
    );
  return {
    async put(documents) {
      const found = known(documents.map(({ _id }) => _id));
      for (const document of await insertOrGet(
        collection,
        documents.filter(({ _id }) => !found.has(_id)),
      )) {
        found.set(document._id, document);
        kept.set(document._id, document);
      }
      return documents.map((document) => found.get(document._id) ?? document);
    },
    async get(ids) {
      const found = known(ids);
      for (const document of (
        await getByIds(
          collection,
          ids.filter((id) => !found.has(id)),
        )
      ).values()) {
        found.set(document._id, document);
        kept.set(document._id, document);
      }
      return found;
    },
  };
};

/**
 * While an insert, a deletion or a read of a collection is under way, further ones wait and then go together in one
 * statement. Nothing waits for a timer, and a single call goes once the process has done what is at hand. On the
 * embedded server a statement costs about 1.5 ms of CPU and an fdatasync, beyond what its documents cost.
 */
export const gathered = (collections: Collections): Collections =>
  Object.fromEntries(
    COLLECTIONS.map((name) => [
      name,
      LARGE_DOCUMENTS.has(name)
        ? collections[name]
        : gatheredCollection(collections[name] as unknown as PortableCollection<Row>),
    ]),
  ) as unknown as Collections;

const gatheredCollection = (inner: PortableCollection<Row>): PortableCollection<Row> => {
  const deleteAll = gather(
    (ids: readonly string[]) => inner.deleteAll([...new Set(ids)]),
    () => undefined,
  );
  return {
    name: inner.name,
    get: (id) => inner.get(id),
    find: (filter, fields) => inner.find(filter, fields),
    update: (id, guard, update) => inner.update(id, guard, update),
    upsert: (id, guard, document) => inner.upsert(id, guard, document),
    replaceAll: (documents, guard) => inner.replaceAll(documents, guard),
    deleteAll: (ids, guard) => (guard === undefined ? deleteAll(ids) : inner.deleteAll(ids, guard)),
    each: (fields) => inner.each(fields),
    insertAll: gather(
      (documents) => inner.insertAll(documents),
      (existing, from, count) =>
        existing.filter((position) => position >= from && position < from + count).map((position) => position - from),
    ),
    getMany: gather(
      (ids: readonly string[]) => inner.getMany([...new Set(ids)]),
      (found, from, count, ids) => {
        const asked = new Set(ids.slice(from, from + count));
        return found.filter(({ _id }) => asked.has(_id));
      },
    ),
  };
};

type Waiting<I, O> = {
  readonly items: readonly I[];
  readonly done: (answer: O) => void;
  readonly failed: (error: unknown) => void;
};

/** All calls within one turn of the process go together from the first one on. */
const turnOver = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** `share` cuts one caller's part out of the answer to all. */
const gather = <I, O>(
  call: (items: readonly I[]) => Promise<O>,
  share: (answer: O, from: number, count: number, all: readonly I[]) => O,
): ((items: readonly I[]) => Promise<O>) => {
  let waiting: Waiting<I, O>[] = [];
  let busy = false;
  const drain = async (): Promise<void> => {
    busy = true;
    await turnOver();
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      await answerAll(group, call, share);
    }
    busy = false;
  };
  return (items) =>
    new Promise((done, failed) => {
      waiting.push({ items, done, failed });
      if (!busy) void drain();
    });
};

/**
 * Never rejects. One caller's bad document must not make the others fail, so after an error each call goes alone, which
 * every operation here allows.
 */
const answerAll = async <I, O>(
  group: readonly Waiting<I, O>[],
  call: (items: readonly I[]) => Promise<O>,
  share: (answer: O, from: number, count: number, all: readonly I[]) => O,
): Promise<void> => {
  const all = group.length === 1 ? group[0]!.items : group.flatMap(({ items }) => items);
  try {
    const answer = await call(all);
    let from = 0;
    for (const { items, done } of group) {
      done(group.length === 1 ? answer : share(answer, from, items.length, all));
      from += items.length;
    }
  } catch (error) {
    if (group.length === 1) group[0]!.failed(error);
    else await Promise.all(group.map((one) => answerAll([one], call, share)));
  }
};
