// A recorded run in a store in memory: thousands of programs that the real engine made with the offline model, and
// evaluated. The fixture is what `evolve export` wrote of it; docs/testing.md says how it is made anew.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, zstdDecompressSync } from 'node:zlib';
import { sha256 } from '../../../activities/sha256.ts';
import { withEveryKey } from '../../../activities/store/exchange/import.ts';
import { documentOf } from '../../../activities/store/exchange/export-format.ts';
import type { PortableCollection, Row } from '../../../activities/store/documents/collection.ts';
import { storeOver } from '../../../activities/store/open-store.ts';
import { withSchemas } from '../../../activities/store/documents/schema.ts';
import type { Store } from '../../../activities/store/store.ts';
import type { BlobDocument, Collections } from '../../../activities/store/documents/stored.ts';
import { memoryCollections } from '../../doubles/memory-store.ts';

export const fixture = (name: string): string =>
  join(import.meta.dirname, '..', '..', 'fixtures', 'page', `${name}.zst`);

/** Texts, evaluators and forms of programs are named by these. A text of a model never holds one. */
export const HASH = /\b(?:[0-9a-f]{64}|[0-9a-f]{32})\b/g;
const NUMBER = /~(\d+)~/g;
/** In the place of half a hash. */
const HALF_NUMBER = /~h(\d+)~/g;

/** Stands before the documents of a collection, one a line. */
export const fileName = (collection: string): string => `== ${collection}\n`;
const FILE_NAME = /^== (\w+)$/;

export const RECORDED = 'recorded';
type Text = { readonly _id: string; readonly text: string | null };
/** A hash inside a text is that of another text, in a change set. */
const QUOTED_NUMBERS = /"~\d+~"/g;
const QUOTED_NUMBER = /"~\d+~"/;

/** By collection. */
export type Documents = Map<string, Record<string, unknown>[]>;

/** The documents as they were exported: a text has its own hash again, anything else the hash of its number. */
export const recordedDocuments = (name = 'recorded'): Documents => {
  const bytes = zstdDecompressSync(readFileSync(fixture(name)), { params: { [constants.ZSTD_d_windowLogMax]: 27 } });
  const lines = bytes.toString('utf8').split('\n');
  const hashes = new Map<string, string>();
  const hashOf = (_: string, number: string): string => hashes.get(number) ?? sha256(`hash ${number}`);
  /** Change sets name other texts, so they have their hashes after those. */
  const naming: (readonly [number: string, text: string])[] = [];
  const begin = lines.indexOf('== blobs');
  for (let at = begin + 1; at < lines.length && !FILE_NAME.test(lines[at]!); at += 1) {
    if (lines[at] === '') continue;
    const { _id, text } = JSON.parse(lines[at]!) as Text;
    if (text === null) continue;
    if (QUOTED_NUMBER.test(text)) naming.push([_id.slice(1, -1), text]);
    else hashes.set(_id.slice(1, -1), sha256(text));
  }
  const whole = (text: string): string => text.replaceAll(QUOTED_NUMBERS, (one) => one.replace(NUMBER, hashOf));
  for (const [number, text] of naming) hashes.set(number, sha256(whole(text)));
  const half = (_: string, number: string): string => sha256(`hash ${number}`).slice(0, 32);
  const documents: Documents = new Map();
  let rows: Record<string, unknown>[] = [];
  let texts = false;
  for (const line of lines) {
    if (line === '') continue;
    const collection = FILE_NAME.exec(line)?.[1];
    if (collection !== undefined) {
      documents.set(collection, (rows = []));
      texts = collection === 'blobs';
    } else if (texts) {
      const { _id, text } = JSON.parse(line) as Text;
      rows.push({ _id: _id.replace(NUMBER, hashOf), text: text === null ? null : whole(text) });
    } else {
      const document = documentOf(line.replaceAll(NUMBER, hashOf).replaceAll(HALF_NUMBER, half));
      rows.push(rows === documents.get('steps') ? { pausedMs: 0, ...document } : document);
    }
  }
  return documents;
};

export type MemoryStore = { readonly store: Store; readonly collections: Collections };

/** Texts are not compressed, which takes long and saves nothing here. */
const blobOf = ({ _id, text }: Record<string, unknown>): BlobDocument => {
  const data = Buffer.from((text as string | null) ?? '');
  return { _id: _id as string, enc: 'raw', rawLen: data.length, data, at: new Date(0) };
};

export const blobsOf = (documents: Documents): readonly BlobDocument[] => (documents.get('blobs') ?? []).map(blobOf);

export const storeOf = async (documents: Documents): Promise<MemoryStore> => {
  const collections = memoryCollections();
  const labelled = withSchemas(collections);
  for (const [name, rows] of documents)
    if (name === 'blobs') await labelled.blobs.insertAll(blobsOf(documents));
    else
      await (labelled[name as keyof Collections] as unknown as PortableCollection<Row>).insertAll(
        (name === 'runs' ? rows.map(withEveryKey) : rows) as never,
      );
  return { store: storeOver(collections), collections };
};

/** A run that trained its model, and was rewound once: the run, its steps and its policies alone. */
export const LEARNED = 'learned';

export const learnedStore = (): Promise<MemoryStore> => storeOf(recordedDocuments(LEARNED));

export const recordedStore = (): Promise<MemoryStore> => storeOf(recordedDocuments());
