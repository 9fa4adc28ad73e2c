// Texts stored by content: the blobs collection behind putTexts and getTexts, texts as bytes, and the address of a
// task.
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { canonicalJson } from '../../../evolution/canonical-json.ts';
import type { BlobRef } from '../../../evolution/types.ts';
import type { PortableCollection } from '../documents/collection.ts';
import type { TaskDocument } from '../documents/documents.ts';
import type { BlobDocument } from '../documents/stored.ts';
import { sha256 } from '../../sha256.ts';
import { LRUCache } from 'lru-cache';

/**
 * UTF-8, in which a lone surrogate, as of an answer cut inside a character, becomes the three bytes of its code point
 * (WTF-8). No two texts have the same bytes.
 */
export const textToBytes = (text: string): Buffer => {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  const parts: Buffer[] = [];
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const point = text.codePointAt(i)!;
    if (point > 0xffff) {
      i++;
      continue;
    }
    if (point < 0xd800 || point > 0xdfff) continue;
    parts.push(
      Buffer.from(text.slice(from, i), 'utf8'),
      Buffer.of(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f)),
    );
    from = i + 1;
  }
  parts.push(Buffer.from(text.slice(from), 'utf8'));
  return Buffer.concat(parts);
};

/** The bytes of a surrogate start with ED and a second byte above 9F, which UTF-8 never has. */
export const bytesToText = (bytes: Buffer): string => {
  let text = '';
  let from = 0;
  for (let at = bytes.indexOf(0xed); at !== -1; at = bytes.indexOf(0xed, at + 1)) {
    if (bytes[at + 1]! < 0xa0) continue;
    text +=
      bytes.toString('utf8', from, at) +
      String.fromCharCode(0xd000 | ((bytes[at + 1]! & 0x3f) << 6) | (bytes[at + 2]! & 0x3f));
    from = at + 3;
  }
  return text + bytes.toString('utf8', from);
};

/** Texts that were written or read lately: a step's parents and prompts. No text takes more than a quarter of it. */
const textCache = (maxBytes: number): LRUCache<BlobRef, string> =>
  new LRUCache({ maxSize: maxBytes, maxEntrySize: Math.ceil(maxBytes / 4), sizeCalculation: sizeBytes });

/** Two bytes a character, and about what a map entry and its key take. */
const sizeBytes = (text: string): number => 2 * text.length + 200;

/** Below this size a zstd frame saves less than it costs. */
const COMPRESS_ABOVE_BYTES = 512;
/** MongoDB refuses documents of 16 MB. */
const MAX_BLOB_BYTES = 12e6;

/** The advice for a person where stored content is gone. */
export const RESTORE =
  'Where `npx evolve export` had written the run to a folder, `npx evolve import <folder>` brings it back, with EVOLVE_HOME naming an empty data directory (or MONGODB_URI another database)';

/**
 * A text that nothing refers to may be removed once nobody has put it for so long (prune-texts.ts): longer than anybody
 * takes from putting a text to storing what refers to it, imports included.
 */
export const TEXT_REST_MS = 12 * 3_600_000;
/** A text that was put within this time is not put again. */
const PUT_AGAIN_MS = 3_600_000;
/** Ids of texts that were put lately. */
const RECENT_TEXTS = 50_000;

export type Texts = {
  put(texts: readonly string[]): Promise<readonly BlobRef[]>;
  get(refs: readonly BlobRef[]): Promise<ReadonlyMap<BlobRef, string>>;
};

/** `now` is the time of this host, in milliseconds since the epoch. */
export const textsIn = (
  blobs: PortableCollection<BlobDocument>,
  cacheBytes: number,
  now: () => number = Date.now,
): Texts => {
  const cache = textCache(cacheBytes);
  // With `max` it would take the room of all of them at once, which a process that only reads never needs.
  const recent = new LRUCache<BlobRef, true>({ maxSize: RECENT_TEXTS, sizeCalculation: () => 1, ttl: PUT_AGAIN_MS });
  return {
    async put(texts) {
      const fresh = new Map<BlobRef, { readonly text: string; readonly bytes: Buffer }>();
      const refs = texts.map((text) => {
        const bytes = textToBytes(text);
        const ref = sha256(bytes);
        if (!recent.has(ref)) fresh.set(ref, { text, bytes });
        return ref;
      });
      const at = new Date(now());
      const documents = [...fresh].map(([ref, { bytes }]) => ({ ...toBlob(ref, bytes), at }));
      // Equal ids mean equal bytes, so a blob that was there already only gets a new time. Where it was removed just now,
      // it is written again.
      const there = await blobs.insertAll(documents);
      if (there.length > 0) await blobs.replaceAll(there.map((position) => documents[position]!));
      for (const [ref, { text }] of fresh) {
        cache.set(ref, text);
        recent.set(ref, true);
      }
      return refs;
    },
    async get(refs) {
      const answer = new Map<BlobRef, string>();
      const unread: BlobRef[] = [];
      for (const ref of new Set(refs)) {
        const text = cache.get(ref);
        if (text === undefined) unread.push(ref);
        else answer.set(ref, text);
      }
      for (const blob of await blobs.getMany(unread)) {
        const text = textOf(blob);
        answer.set(blob._id, text);
        cache.set(blob._id, text);
      }
      return answer;
    },
  };
};

/** The reference under which a text is stored. */
export const blobRef = (text: string): BlobRef => sha256(textToBytes(text));

/** The `_id` under which a task is stored. */
export const taskId = ({ task, files }: Omit<TaskDocument, '_id'>): string =>
  sha256(canonicalJson({ id: task, files }));

export const readText = async (texts: Texts, ref: BlobRef): Promise<string> => {
  const text = (await texts.get([ref])).get(ref);
  if (text === undefined)
    throw new Error(`expected a stored text ${ref}, but there is none: the database has lost a blob. ${RESTORE}`);
  return text;
};

const toBlob = (ref: BlobRef, bytes: Buffer): Omit<BlobDocument, 'at'> => {
  const packed = bytes.length > COMPRESS_ABOVE_BYTES ? zstdCompressSync(bytes) : bytes;
  const [enc, data] = packed.length < bytes.length ? (['zstd', packed] as const) : (['raw', bytes] as const);
  if (data.length > MAX_BLOB_BYTES) {
    throw new RangeError(
      `expected texts of at most ${MAX_BLOB_BYTES} bytes stored, got one of ${data.length}: lower the limit of what produces it (max tokens, output bytes)`,
    );
  }
  return { _id: ref, enc, rawLen: bytes.length, data };
};

export const textOf = ({ enc, rawLen, data }: Omit<BlobDocument, 'at'>): string => {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return bytesToText(enc === 'zstd' ? zstdDecompressSync(bytes, { maxOutputLength: Math.max(1, rawLen) }) : bytes);
};
