// Secondary indexes, all plain, created at start. On the embedded server each costs 0.13 ms of CPU per document inserted, so one
// is here only for a query that a step or a restart makes. Listings derive ids from step markers; export and listRuns scan.
import type { Db } from 'mongodb';
import type { COLLECTIONS } from '../stored.ts';

type Index = { readonly collection: (typeof COLLECTIONS)[number]; readonly key: { readonly [field: string]: 1 }; readonly query: string };

const INDEXES: readonly Index[] = [
  { collection: 'programs', key: { run: 1, knownHash: 1 }, query: 'knownHashes, for each response' },
  { collection: 'population', key: { run: 1, view: 1 }, query: 'the load of a fresh process' },
  { collection: 'cells', key: { run: 1, view: 1 }, query: 'the load of a fresh process' },
];

export const createIndexes = async (db: Db): Promise<void> => {
  for (const { collection, key } of INDEXES) await db.collection(collection).createIndex(key);
};
