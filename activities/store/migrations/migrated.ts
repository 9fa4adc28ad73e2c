// What stored documents of an earlier schema become in this one: a file for each schema, applied one after the other.
import type { Migration, Stored } from './migration.ts';
import { TO_2 } from './to-2.ts';
import { TO_3 } from './to-3.ts';

/** The number of the schema that this version writes. It reads every schema from 1 on. */
export const SCHEMA_VERSION = 3;

/**
 * The oldest schema whose software may work in a database in which this version writes. The first worker of a version
 * writes it into the database, and a worker that knows only older ones does not begin there.
 */
export const LEAST_READER = 3;

const MIGRATIONS: readonly (readonly [to: number, Migration])[] = [
  [2, TO_2],
  [3, TO_3],
];

/** `schema` is what the document says; null where it says nothing. */
export const migrated = (collection: string, document: Stored, schema: number | null): Stored => {
  let current = document;
  for (const [to, migration] of MIGRATIONS)
    if ((schema ?? 1) < to) current = migration[collection as keyof Migration]?.(current) ?? current;
  return current;
};
