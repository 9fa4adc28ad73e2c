// What a migration is: from what one schema stored to what the next one stores.
import type { Collections } from '../stored.ts';

/** A document as it is in the database, before anybody knows that it has today's fields. */
export type Stored = { readonly [field: string]: unknown };

/**
 * From the schema before to this one. Pure, and the same document for one that is in the schema already, because
 * documents before schema 3 say theirs only in `runs`. Some fields may be missing where only some were read.
 */
export type Migration = { readonly [collection in keyof Collections]?: (document: Stored) => Stored };
