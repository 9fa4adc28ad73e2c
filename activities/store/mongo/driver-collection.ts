// A portable collection on the MongoDB driver. The sizes of statements follow our measurements on the embedded server:
// it takes quadratic time in `$in`, where 25 ids a query cost least, and writes go by the hundreds.
import { MongoBulkWriteError, MongoServerError, type Collection, type Document } from 'mongodb';
import { timed } from '../../telemetry/metrics.ts';
import type { Guard, PortableCollection, Row, RunFilter, Update } from '../documents/collection.ts';

const IDS_PER_QUERY = 25;
const WRITES_PER_STATEMENT = 500;
const DOCUMENTS_PER_BATCH = 500;
const DUPLICATE_ID = 11000;

/** Inside this class documents are the driver's untyped ones, outside the interface holds. */
type Untyped = Collection<Document & { _id: string }>;

export class DriverCollection<T extends Row> implements PortableCollection<T> {
  readonly name: string;
  readonly #collection: Untyped;

  constructor(collection: Collection<Document>) {
    this.name = collection.collectionName;
    this.#collection = collection as unknown as Untyped;
  }

  async insertAll(documents: readonly T[], inOrder = false): Promise<readonly number[]> {
    const existing: number[] = [];
    for (const [from, chunk] of chunks(documents, WRITES_PER_STATEMENT)) {
      try {
        await timed('database', { operation: 'insert' }, () =>
          this.#collection.insertMany(chunk, { ordered: inOrder }),
        );
      } catch (error) {
        existing.push(...duplicatePositions(error).map((index) => from + index));
        if (inOrder) break;
      }
    }
    return existing;
  }

  async get(id: string): Promise<T | null> {
    return (await timed('database', { operation: 'get' }, () => this.#collection.findOne({ _id: id }))) as T | null;
  }

  async getMany(ids: readonly string[]): Promise<readonly T[]> {
    const rows: T[] = [];
    for (const [, chunk] of chunks(ids, IDS_PER_QUERY)) {
      const documents = await timed('database', { operation: 'get' }, () =>
        this.#collection.find({ _id: { $in: chunk } }).toArray(),
      );
      rows.push(...(documents as unknown as T[]));
    }
    return rows;
  }

  async find<K extends keyof T = keyof T>(
    filter: RunFilter<T>,
    fields?: readonly K[],
  ): Promise<readonly Pick<T, K | '_id'>[]> {
    return (await timed('database', { operation: 'find' }, () =>
      this.#collection.find(filter as Document, only(fields)).toArray(),
    )) as unknown as Pick<T, K | '_id'>[];
  }

  async update(id: string, guard: Guard<T>, update: Update<T>): Promise<boolean> {
    const { matchedCount } = await timed('database', { operation: 'update' }, () =>
      this.#collection.updateOne({ _id: id, ...guard }, update as Document),
    );
    return matchedCount === 1;
  }

  async upsert(id: string, guard: Guard<T>, document: Omit<T, '_id'>): Promise<boolean> {
    try {
      await timed('database', { operation: 'update' }, () =>
        this.#collection.updateOne({ _id: id, ...guard }, { $set: document }, { upsert: true }),
      );
      return true;
    } catch (error) {
      if (error instanceof MongoServerError && error.code === DUPLICATE_ID) return false;
      throw error;
    }
  }

  async replaceAll(documents: readonly T[], guard?: Guard<T>): Promise<void> {
    await this.#bulk(
      documents.map(({ _id, ...replacement }) => ({
        replaceOne: { filter: { _id, ...guard }, replacement: replacement as Document, upsert: guard === undefined },
      })),
    );
  }

  /** So many ids at once cost half as much as single deletes. */
  async deleteAll(ids: readonly string[], guard?: Guard<T>): Promise<void> {
    for (const [, chunk] of chunks(ids, IDS_PER_QUERY))
      await timed('database', { operation: 'delete' }, () =>
        this.#collection.deleteMany({ _id: { $in: chunk }, ...guard } as Document),
      );
  }

  async *each<K extends keyof T = keyof T>(fields?: readonly K[]): AsyncGenerator<Pick<T, K | '_id'>> {
    for await (const document of this.#collection.find({}, { ...only(fields), batchSize: DOCUMENTS_PER_BATCH }))
      yield document as unknown as Pick<T, K | '_id'>;
  }

  async #bulk(operations: Parameters<Untyped['bulkWrite']>[0]): Promise<void> {
    for (const [, chunk] of chunks(operations, WRITES_PER_STATEMENT))
      await timed('database', { operation: 'bulk' }, () => this.#collection.bulkWrite(chunk, { ordered: false }));
  }
}

const only = (fields: readonly PropertyKey[] | undefined) =>
  fields === undefined ? {} : { projection: Object.fromEntries(['_id', ...fields].map((field) => [field, 1])) };

function* chunks<V>(all: readonly V[], size: number): Generator<readonly [from: number, chunk: V[]]> {
  for (let from = 0; from < all.length; from += size) yield [from, all.slice(from, from + size)];
}

/** Rethrows everything but a duplicate `_id`; no other unique index exists. */
const duplicatePositions = (error: unknown): number[] => {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) throw error;
  const errors = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors];
  if (errors.length === 0 || errors.some(({ code }) => code !== DUPLICATE_ID)) throw error;
  return errors.map(({ index }) => index);
};
