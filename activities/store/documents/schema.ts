// Every document that may change its form says in which schema it is written. A document of another schema stops
// whoever meets it before anything is written.
import type { Guard, PortableCollection, Row, RunFilter, Update } from './collection.ts';
import { SchemaError } from './errors.ts';
import { databaseIdentity } from './identity.ts';
import { COLLECTIONS, type Collections } from './stored.ts';

/**
 * The schema that this version reads and writes. The first worker writes the number into the database, so that software
 * which knows only earlier schemas does not begin there.
 */
export const SCHEMA_VERSION = 4;

type Stored = { readonly [field: string]: unknown };

/** Their ids are hashes over their content, or they belong to the database and not to a run. */
const WITHOUT: ReadonlySet<string> = new Set([
  'tasks',
  'blobs',
  'batches',
  'identity',
  'rates',
  'notices',
  'tracking',
  'installation',
  'hosts',
] satisfies (keyof Collections)[]);

/** In `runs` the field has the name that software of earlier schemas looks for. */
const labelOf = (collection: string): string => (collection === 'runs' ? 'schemaVersion' : 'schema');

/** The document without its label. Throws SchemaError for one of another schema. */
const read = (collection: string, stored: Stored): Row => {
  const label = labelOf(collection);
  const schema = typeof stored[label] === 'number' ? stored[label] : 1;
  if (schema !== SCHEMA_VERSION) throw ofSchema(`document '${String(stored['_id'])}'`, schema);
  if (collection === 'runs') return stored as unknown as Row;
  const { [label]: _, ...document } = stored;
  return document as unknown as Row;
};

const ofSchema = (what: string, schema: number): SchemaError =>
  new SchemaError(
    `expected stored data of schema ${SCHEMA_VERSION}, but ${what} has schema ${schema}: ${
      schema > SCHEMA_VERSION
        ? 'a newer version of this project writes to this database. Update this one, or use'
        : 'an older version of this project wrote it. Use'
    } another data directory (EVOLVE_HOME) or database (MONGODB_URI)`,
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
  const readOne = (document: Row): Row => read(name, document as Stored);
  const labelled = <T extends object>(document: T): T => ({ ...document, [label]: SCHEMA_VERSION });
  return {
    name,
    insertAll: (documents, inOrder) => inner.insertAll(documents.map(labelled), inOrder),
    async get(id) {
      const document = await inner.get(id);
      return document === null ? null : readOne(document);
    },
    async getMany(ids) {
      return (await inner.getMany(ids)).map(readOne);
    },
    async find<K extends keyof Row>(filter: RunFilter<Row>, fields?: readonly K[]) {
      // Ids alone say nothing of what the documents hold.
      if (fields?.every((field) => field === '_id')) return inner.find(filter, fields);
      const withLabel = fields === undefined ? undefined : [...new Set([...fields, label as K])];
      return (await inner.find(filter, withLabel)).map(readOne);
    },
    /** Only a document of this schema is changed. */
    async update(id, guard, update: Update<Row>) {
      if (await inner.update(id, { ...guard, [label]: SCHEMA_VERSION } as Guard<Row>, update)) return true;
      const stored = await inner.get(id);
      if (stored !== null) readOne(stored);
      return false;
    },
    upsert: (id, guard, document) => inner.upsert(id, guard, labelled(document)),
    replaceAll: (documents, guard) => inner.replaceAll(documents.map(labelled), guard),
    deleteAll: (ids, guard) => inner.deleteAll(ids, guard),
    async *each(fields) {
      for await (const document of inner.each(fields)) yield fields === undefined ? readOne(document) : document;
    },
  };
};

/**
 * Refuses a database with data of another schema, by its own mark and by its runs. With `write` this process will work
 * in it, so versions that know only earlier schemas are refused from now on.
 */
export const checkSchema = async (
  { runs, identity }: Pick<Collections, 'runs' | 'identity'>,
  write: boolean,
): Promise<void> => {
  const { leastSchema = 0 } = (await identity.get('database')) ?? {};
  if (leastSchema > SCHEMA_VERSION) throw ofSchema('the database', leastSchema);
  const [run] = await runs.find({ run: { $gte: '' }, schemaVersion: { $ne: SCHEMA_VERSION } }, ['schemaVersion']);
  if (run !== undefined) throw ofSchema(`run '${run._id}'`, run.schemaVersion ?? 1);
  if (!write || leastSchema >= SCHEMA_VERSION) return;
  await databaseIdentity(identity);
  await identity.update('database', {}, { $max: { leastSchema: SCHEMA_VERSION } });
};
