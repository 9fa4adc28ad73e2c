// The part of MongoDB that the store uses. It is small, so that any server that speaks the protocol will do, and
// whatever is not in this interface cannot be called. The driver implements it (mongo/driver-collection.ts), and in
// tests a Map does.
import { canonicalJson } from '../../../evolution/canonical-json.ts';

export type Row = { readonly _id: string };

/** Equality, or operators that every server answers alike. */
export type Condition<V> =
  | V
  | {
      readonly $in?: readonly V[];
      readonly $ne?: V;
      readonly $exists?: boolean;
      readonly $gt?: V;
      readonly $gte?: V;
      readonly $lt?: V;
      readonly $lte?: V;
    };
/** Conditions beside `_id`. Every operation puts `_id` first itself, and there is no top-level `$or` or `$and`. */
export type Guard<T extends Row> = {
  readonly [K in Exclude<keyof T, '_id'>]?: Condition<NonNullable<T[K]> | Extract<T[K], null>>;
};
/** A read that is not by `_id` names the run first. */
export type RunFilter<T extends Row> = Guard<T> & { readonly run: Condition<string> };

type Fields<T extends Row> = Partial<Omit<T, '_id'>>;
export type Update<T extends Row> = {
  readonly $set?: Fields<T>;
  readonly $max?: Fields<T>;
};

/** An operation by ids takes any number of them; implementations cut them into statements of a cheap size. */
export interface PortableCollection<T extends Row> {
  readonly name: string;
  /**
   * Unordered. Returns the positions whose `_id` was there (error 11000), and leaves those documents as they are. In
   * order, nothing from the first such position on is inserted.
   */
  insertAll(documents: readonly T[], inOrder?: boolean): Promise<readonly number[]>;
  get(id: string): Promise<T | null>;
  /** In no particular order; unknown ids are left out. */
  getMany(ids: readonly string[]): Promise<readonly T[]>;
  /** Unordered. With `fields`, only those and `_id` are read. */
  find<K extends keyof T = keyof T>(
    filter: RunFilter<T>,
    fields?: readonly K[],
  ): Promise<readonly Pick<T, K | '_id'>[]>;
  /** Atomic compare-and-set on one document. Returns false when nothing matched. */
  update(id: string, guard: Guard<T>, update: Update<T>): Promise<boolean>;
  /** Replaces the document where the guard holds, or inserts it. False (error 11000) when the guard excludes it. */
  upsert(id: string, guard: Guard<T>, document: Omit<T, '_id'>): Promise<boolean>;
  /** Unordered. Each document replaces the one with its `_id`. With a guard only where it holds, and never inserts. */
  replaceAll(documents: readonly T[], guard?: Guard<T>): Promise<void>;
  /** With a guard only where it holds. */
  deleteAll(ids: readonly string[], guard?: Guard<T>): Promise<void>;
  /** Every document in no particular order; with `fields`, only those and `_id`. It reads all, for rare work. */
  each<K extends keyof T = keyof T>(fields?: readonly K[]): AsyncIterable<Pick<T, K | '_id'>>;
}

/**
 * Insert-or-get: the first document under an id wins. Returns the stored documents in the order asked; only what was
 * there already is read back.
 */
export const insertOrGet = async <T extends Row>(
  collection: PortableCollection<T>,
  documents: readonly T[],
): Promise<readonly T[]> => {
  const existing = await collection.insertAll(documents);
  if (existing.length === 0) return documents;
  const stored = await getByIds(
    collection,
    existing.map((position) => documents[position]!._id),
  );
  return documents.map((document) => stored.get(document._id) ?? document);
};

export const getByIds = async <T extends Row>(
  collection: PortableCollection<T>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, T>> =>
  new Map((await collection.getMany([...new Set(ids)])).map((document) => [document._id, document]));

/**
 * Changes a document that counts its revisions, until nobody was between. `next` gives the new fields, or null where
 * nothing is to change. Returns the document that is there then.
 */
export const revise = async <T extends Row & { readonly revision: number }>(
  collection: PortableCollection<T>,
  id: T['_id'],
  next: (before: T | null) => Omit<T, '_id' | 'revision'> | null,
): Promise<T | null> => {
  for (;;) {
    const before = await collection.get(id);
    const fields = next(before);
    if (fields === null) return before;
    const after = { ...fields, revision: (before?.revision ?? 0) + 1 } as unknown as Omit<T, '_id'>;
    const document = { _id: id, ...after } as T;
    const isDone =
      before === null
        ? (await collection.insertAll([document])).length === 0
        : await collection.update(id, { revision: before.revision } as Guard<T>, { $set: after });
    if (isDone) return document;
  }
};

/** True where two documents are the same to a database: undefined is no value, and keys come in any order. */
export const sameContent = (a: unknown, b: unknown): boolean =>
  (a === undefined) === (b === undefined) && canonicalJson(a, stored) === canonicalJson(b, stored);

const stored = (value: unknown): string =>
  typeof value === 'number' && !Number.isFinite(value)
    ? `{"number":"${value}"}`
    : (JSON.stringify(typeof value === 'string' ? value.toWellFormed() : value) ?? 'null');
