// Secondary indexes, all plain, created at start. On the embedded server each costs 0.13 to 0.25 ms of CPU per document inserted, more
// than the document itself, so one is here only for a query that every step makes. Listings and loads derive ids from step markers
// instead; export, listRuns and whoever looks at population or cells by hand pay with a scan.
import type { Db } from 'mongodb';
import type { COLLECTIONS } from '../stored.ts';

type Index = { readonly collection: (typeof COLLECTIONS)[number]; readonly key: { readonly [field: string]: 1 }; readonly query: string };

const INDEXES: readonly Index[] = [
  { collection: 'programs', key: { run: 1, knownHash: 1 }, query: 'knownHashes, for each response' },
];

export const createIndexes = async (db: Db): Promise<void> => {
  for (const { collection, key } of INDEXES) await db.collection(collection).createIndex(key);
};
