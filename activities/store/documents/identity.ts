// The identity of a database is a random id that is made once. It tells two installations apart, even where both reach
// their database by the same address.
import { randomUUID } from 'node:crypto';
import { insertOrGet, type PortableCollection } from './collection.ts';

/** A copy of a database, such as a dump that was restored elsewhere, has the same identity. */
export type DatabaseIdentity = { readonly id: string; readonly createdAt: Date };
export type IdentityDocument = DatabaseIdentity & {
  readonly _id: 'database';
  /** The oldest schema whose software may still work here. Left out until a worker has written. */
  readonly leastSchema?: number;
};

/** The first caller makes the identity. Of several at once one wins, and all get the same. */
export const databaseIdentity = async (collection: PortableCollection<IdentityDocument>): Promise<DatabaseIdentity> => {
  const { id, createdAt } =
    (await collection.get('database')) ??
    (await insertOrGet(collection, [{ _id: 'database', id: randomUUID(), createdAt: new Date() }]))[0]!;
  return { id, createdAt };
};
