// Content-addressed texts: the blobs collection behind putTexts and getTexts.
import { hash } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { BlobRef } from '../../evolution/types.ts';
import type { PortableCollection } from './collection.ts';
import type { BlobDocument } from './stored.ts';
import { bytesToText, textToBytes } from './text-bytes.ts';
import { TextCache } from './text-cache.ts';

/** Below this a zstd frame saves less than it costs. */
const COMPRESS_ABOVE_BYTES = 512;
/** MongoDB refuses documents of 16 MB. */
const MAX_BLOB_BYTES = 12e6;

export type Texts = {
  put(texts: readonly string[]): Promise<readonly BlobRef[]>;
  get(refs: readonly BlobRef[]): Promise<ReadonlyMap<BlobRef, string>>;
};

export const textsIn = (blobs: PortableCollection<BlobDocument>, cacheBytes: number): Texts => {
  const cache = new TextCache(cacheBytes);
  return {
    async put(texts) {
      const fresh = new Map<BlobRef, { readonly text: string; readonly bytes: Buffer }>();
      const refs = texts.map((text) => {
        const bytes = textToBytes(text);
        const ref = hash('sha256', bytes);
        if (!cache.has(ref)) fresh.set(ref, { text, bytes });
        return ref;
      });
      // Equal id means equal bytes: a blob that was there already needs no second look.
      await blobs.insertAll([...fresh].map(([ref, { bytes }]) => toBlob(ref, bytes)));
      for (const [ref, { text }] of fresh) cache.set(ref, text);
      return refs;
    },
    async get(refs) {
      const found = new Map<BlobRef, string>();
      const unread: BlobRef[] = [];
      for (const ref of new Set(refs)) {
        const text = cache.get(ref);
        if (text === undefined) unread.push(ref);
        else found.set(ref, text);
      }
      for (const blob of await blobs.getMany(unread)) {
        const text = fromBlob(blob);
        found.set(blob._id, text);
        cache.set(blob._id, text);
      }
      return found;
    },
  };
};

export const readText = async (texts: Texts, ref: BlobRef): Promise<string> => {
  const text = (await texts.get([ref])).get(ref);
  if (text === undefined) throw new Error(`expected a stored text ${ref}, but there is none: the database has lost a blob; restore it from an export`);
  return text;
};

const toBlob = (ref: BlobRef, bytes: Buffer): BlobDocument => {
  const packed = bytes.length > COMPRESS_ABOVE_BYTES ? zstdCompressSync(bytes) : bytes;
  const [enc, data] = packed.length < bytes.length ? ['zstd', packed] as const : ['raw', bytes] as const;
  if (data.length > MAX_BLOB_BYTES) {
    throw new RangeError(`expected texts of at most ${MAX_BLOB_BYTES} bytes stored, got one of ${data.length}: lower the limit of what produces it (max tokens, output bytes)`);
  }
  return { _id: ref, enc, rawLen: bytes.length, data };
};

const fromBlob = ({ enc, data }: BlobDocument): string => {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return bytesToText(enc === 'zstd' ? zstdDecompressSync(bytes) : bytes);
};
