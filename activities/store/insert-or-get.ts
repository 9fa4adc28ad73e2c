// Insert-or-get: the first stored document under an id wins and is what every later attempt sees. Called by every verb that stores.
import type { PortableCollection, Row } from './collection.ts';

/** The stored documents, in the order asked. Only what was there already is read back. */
export const insertOrGet = async <T extends Row>(collection: PortableCollection<T>, documents: readonly T[]): Promise<readonly T[]> => {
  const existing = await collection.insertAll(documents);
  if (existing.length === 0) return documents;
  const stored = await getByIds(collection, existing.map((position) => documents[position]!._id));
  return documents.map((document) => stored.get(document._id) ?? document);
};

export const getByIds = async <T extends Row>(collection: PortableCollection<T>, ids: readonly string[]): Promise<ReadonlyMap<string, T>> =>
  new Map((await collection.getMany([...new Set(ids)])).map((document) => [document._id, document]));
