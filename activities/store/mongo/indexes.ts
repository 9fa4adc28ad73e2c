// Secondary indexes, all plain, created at start. On the embedded server each costs 0.13 ms of CPU per document inserted, so one
// is here only for a query that a step, a listing or a restart makes; export reads by scan instead.
import type { Db } from 'mongodb';
import type { COLLECTIONS } from '../stored.ts';

type Index = { readonly collection: (typeof COLLECTIONS)[number]; readonly key: { readonly [field: string]: 1 }; readonly query: string };

const INDEXES: readonly Index[] = [
  { collection: 'programs', key: { run: 1, bornSeq: 1 }, query: 'eachProgram, by ranges of birth' },
  { collection: 'programs', key: { run: 1, normHash: 1 }, query: 'knownHashes, once per step' },
  { collection: 'population', key: { run: 1, view: 1 }, query: 'the load of a fresh process' },
  { collection: 'cells', key: { run: 1, view: 1 }, query: 'the load of a fresh process' },
];

export const createIndexes = async (db: Db): Promise<void> => {
  for (const { collection, key } of INDEXES) await db.collection(collection).createIndex(key);
};
