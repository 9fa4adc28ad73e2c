// Collections that crash: the k-th write happens by half (a bulk cut in the middle) or not at all, and nothing is
// written after it.
import type { Guard, PortableCollection, Row } from '../../../activities/store/documents/collection.ts';
import { COLLECTIONS, type Collections } from '../../../activities/store/documents/stored.ts';

export class Crash extends Error {
  override readonly name = 'Crash';
}

export const isFailing = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => false,
    () => true,
  );

export const faulty = (collections: Collections, crashAtWrite: number): { readonly collections: Collections } => {
  let writes = 0;
  const write = async <V>(whole: () => Promise<V>, half: () => Promise<unknown>): Promise<V> => {
    writes++;
    if (writes < crashAtWrite) return whole();
    if (writes === crashAtWrite) await half();
    throw new Crash(`crashed at write ${crashAtWrite}`);
  };
  const wrapped = COLLECTIONS.map((name) => [
    name,
    wrap(collections[name] as unknown as PortableCollection<Row>, write),
  ]);
  return { collections: Object.fromEntries(wrapped) as Collections };
};

type Write = <V>(whole: () => Promise<V>, half: () => Promise<unknown>) => Promise<V>;
const nothing = async (): Promise<void> => {};
const halfOf = <V>(all: readonly V[]): readonly V[] => all.slice(0, Math.floor(all.length / 2));

const wrap = (inner: PortableCollection<Row>, write: Write): PortableCollection<Row> => ({
  name: inner.name,
  get: (id) => inner.get(id),
  getMany: (ids) => inner.getMany(ids),
  find: (filter, fields) => inner.find(filter, fields),
  insertAll: (documents, inOrder) =>
    documents.length === 0
      ? inner.insertAll(documents, inOrder)
      : write(
          () => inner.insertAll(documents, inOrder),
          () => inner.insertAll(halfOf(documents), inOrder),
        ),
  replaceAll: (documents, guard?: Guard<Row>) =>
    documents.length === 0
      ? inner.replaceAll(documents, guard)
      : write(
          () => inner.replaceAll(documents, guard),
          () => inner.replaceAll(halfOf(documents), guard),
        ),
  deleteAll: (ids, guard) =>
    ids.length === 0
      ? inner.deleteAll(ids, guard)
      : write(
          () => inner.deleteAll(ids, guard),
          () => inner.deleteAll(halfOf(ids), guard),
        ),
  each: (fields) => inner.each(fields),
  update: (id, guard, update) => write(() => inner.update(id, guard, update), nothing),
  upsert: (id, guard, document) => write(() => inner.upsert(id, guard, document), nothing),
});
