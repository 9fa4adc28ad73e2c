// The form of the fixture of a recorded run: its collections one after the other, with numbers in the place of hashes.
import { join } from 'node:path';

export const fixture = (name: string): string =>
  join(import.meta.dirname, '..', '..', 'fixtures', 'page', `${name}.zst`);

/** Texts, evaluators and forms of programs are named by these. A text of a model never holds one. */
export const HASH = /\b(?:[0-9a-f]{64}|[0-9a-f]{32})\b/g;
export const NUMBER = /~(\d+)~/g;
/** In the place of half a hash. */
export const HALF_NUMBER = /~h(\d+)~/g;

/** Stands before the documents of a collection, one a line. */
export const fileName = (collection: string): string => `== ${collection}\n`;
export const FILE_NAME = /^== (\w+)$/;
