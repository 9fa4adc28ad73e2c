// Which database this is: a random id, made once, so that two installations are told apart by whatever address each
// reaches its own.
import { randomUUID } from 'node:crypto';
import { insertOrGet, type PortableCollection } from './collection.ts';

/** A copy of a database (a dump that was restored elsewhere) has the same one. */
export type DatabaseIdentity = { readonly id: string; readonly createdAt: Date };
export type IdentityDocument = DatabaseIdentity & { readonly _id: 'database' };

/** Whoever asks first makes it; of several at once one wins, and all get the same. */
export const databaseIdentity = async (collection: PortableCollection<IdentityDocument>): Promise<DatabaseIdentity> => {
  const { id, createdAt } =
    (await collection.get('database')) ??
    (await insertOrGet(collection, [{ _id: 'database', id: randomUUID(), createdAt: new Date() }]))[0]!;
  return { id, createdAt };
};
