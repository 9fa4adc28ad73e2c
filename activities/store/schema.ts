// Every document that may change its form says in which schema it is written. Between the store and its collections,
// documents of earlier schemas are brought forward when they are read, and a document of a later schema stops whoever
// meets it before anything is written.
import type { Guard, PortableCollection, Row, RunFilter, Update } from './collection.ts';
import { NewerSchemaError } from './errors.ts';
import { databaseIdentity } from './identity.ts';
import { LEAST_READER, migrated, SCHEMA_VERSION } from './migrations/migrated.ts';
import type { Stored } from './migrations/migration.ts';
import { COLLECTIONS, type Collections } from './stored.ts';

/** Their ids are hashes over their content, or they belong to the database and not to a run. */
const WITHOUT: ReadonlySet<string> = new Set([
  'tasks',
  'blobs',
  'batches',
  'identity',
  'rates',
  'notices',
  'installation',
  'hosts',
] satisfies (keyof Collections)[]);

/** In `runs` the field has the name that software of earlier schemas looks for. */
const labelOf = (collection: string): string => (collection === 'runs' ? 'schemaVersion' : 'schema');

/** Throws NewerSchemaError for a document that a later version wrote. */
const forward = (collection: string, stored: Stored): Stored => {
  const label = labelOf(collection);
  const schema = stored[label];
  if (typeof schema === 'number' && schema > SCHEMA_VERSION) throw newer(`document '${String(stored['_id'])}'`, schema);
  const isRun = collection === 'runs';
  if (schema === SCHEMA_VERSION) return isRun ? stored : without(stored, label);
  const document = migrated(collection, without(stored, label), typeof schema === 'number' ? schema : null);
  return isRun ? { ...document, [label]: SCHEMA_VERSION } : document;
};

const without = (document: Stored, field: string): Stored => {
  const { [field]: _, ...rest } = document;
  return rest;
};

export const newer = (what: string, schema: number): NewerSchemaError =>
  new NewerSchemaError(
    `expected stored data of schema ${SCHEMA_VERSION} or older, but ${what} has schema ${schema}: a newer version of this project writes to this database. Update this one, or use another data directory (EVOLVE_HOME) or database (MONGODB_URI)`,
  );

export const withSchemas = (collections: Collections): Collections =>
  Object.fromEntries(
    COLLECTIONS.map((name) => [
      name,
      WITHOUT.has(name) ? collections[name] : inSchema(collections[name] as unknown as PortableCollection<Row>),
    ]),
  ) as unknown as Collections;

const inSchema = (inner: PortableCollection<Row>): PortableCollection<Row> => {
  const { name } = inner;
  const label = labelOf(name);
  const read = (document: Row): Row => forward(name, document as Stored) as unknown as Row;
  const labelled = <T extends object>(document: T): T => ({ ...document, [label]: SCHEMA_VERSION });
  const current = { [label]: SCHEMA_VERSION } as Guard<Row>;
  return {
    name,
    insertAll: (documents) => inner.insertAll(documents.map(labelled)),
    async get(id) {
      const document = await inner.get(id);
      return document === null ? null : read(document);
    },
    async getMany(ids) {
      return (await inner.getMany(ids)).map(read);
    },
    async find<K extends keyof Row>(filter: RunFilter<Row>, fields?: readonly K[]) {
      // Whoever reads ids alone learns nothing of what the documents say.
      if (fields?.every((field) => field === '_id')) return inner.find(filter, fields);
      const wanted = fields === undefined ? undefined : [...new Set([...fields, label as K])];
      return (await inner.find(filter, wanted)).map(read);
    },
    /** Only a document of this schema is changed. One of an earlier schema is brought forward first. */
    async update(id, guard, update: Update<Row>) {
      const guarded = { ...guard, ...current };
      if (await inner.update(id, guarded, update)) return true;
      const stored = (await inner.get(id)) as Stored | null;
      if (stored === null || stored[label] === SCHEMA_VERSION) return false;
      await bringForward(inner, stored, forward(name, stored));
      return inner.update(id, guarded, update);
    },
    upsert: (id, guard, document) => inner.upsert(id, guard, labelled(document)),
    replaceAll: (documents, guard) => inner.replaceAll(documents.map(labelled), guard),
    deleteAll: (ids, guard) => inner.deleteAll(ids, guard),
    async *each(fields) {
      for await (const document of inner.each(fields)) yield fields === undefined ? read(document) : document;
    },
  };
};

/** Of several that do this at once one writes, and the others find it done. */
const bringForward = async (inner: PortableCollection<Row>, stored: Stored, document: Stored): Promise<void> => {
  const label = labelOf(inner.name);
  const before = (label in stored ? { [label]: stored[label] } : { [label]: { $exists: false } }) as Guard<Row>;
  const { _id, ...fields } = document;
  await inner.update(String(_id), before, { $set: { ...fields, [label]: SCHEMA_VERSION } as Update<Row>['$set'] & {} });
};

/**
 * Refuses a database in which a later version works, by what it says of itself and by its runs. `write` says that this
 * process will work in it, so that versions which are too old for what it writes are refused from now on.
 */
export const checkSchema = async (
  { runs, identity }: Pick<Collections, 'runs' | 'identity'>,
  write: boolean,
): Promise<void> => {
  const { leastSchema = 0, newestSchema = 0 } = (await identity.get('database')) ?? {};
  if (leastSchema > SCHEMA_VERSION) throw newer('the database', leastSchema);
  const [run] = await runs.find({ run: { $gte: '' }, schemaVersion: { $gt: SCHEMA_VERSION } }, ['schemaVersion']);
  if (run !== undefined) throw newer(`run '${run._id}'`, run.schemaVersion);
  if (!write || (leastSchema >= LEAST_READER && newestSchema >= SCHEMA_VERSION)) return;
  await databaseIdentity(identity);
  await identity.update('database', {}, { $max: { newestSchema: SCHEMA_VERSION, leastSchema: LEAST_READER } });
};
