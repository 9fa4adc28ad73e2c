// Gathers answers into packs while they come, so that a run of any size is exported in little memory.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type FileIndex, packed, type PackedKind, plainPath, withoutTexts } from '../api/site/pack.ts';

/** Answers of one view are unpacked together: about as much as a browser unpacks without a pause. */
const PACK_BYTES = 1 << 20;

const compressed = promisify(gzip);
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

export type Packer = {
  add(path: string, kind: PackedKind, body: Uint8Array): Promise<void>;
  /** Writes what is left, and says where everything is. */
  end(): Promise<Pick<FileIndex, 'answers' | 'texts'>>;
};

/** `write` gets each pack, compressed, in the order of their numbers. */
export const createPacker = (write: (pack: number, bytes: Uint8Array) => Promise<void>): Packer => {
  const answers: { [path: string]: readonly [number, number, PackedKind] } = {};
  const texts: (readonly [number, number])[] = [];
  /** By the hash of the text, for the texts themselves would fill memory. */
  const numbers = new Map<string, number>();
  const waiting = {
    answers: { parts: [] as Uint8Array[], paths: [] as (readonly [string, PackedKind])[], bytes: 0 },
    texts: { parts: [] as Uint8Array[], bytes: 0 },
  };
  let packs = 0;
  const put = async (parts: readonly Uint8Array[]): Promise<number> => {
    const number = packs++;
    await write(number, await compressed(packed(parts), { level: 9 }));
    return number;
  };
  const putAnswers = async (): Promise<void> => {
    const { parts, paths } = waiting.answers;
    if (parts.length === 0) return;
    waiting.answers = { parts: [], paths: [], bytes: 0 };
    const number = await put(parts);
    for (const [part, [path, kind]] of paths.entries()) answers[path] = [number, part, kind];
  };
  const putTexts = async (): Promise<void> => {
    const { parts } = waiting.texts;
    if (parts.length === 0) return;
    waiting.texts = { parts: [], bytes: 0 };
    texts.push([await put(parts), numbers.size - parts.length]);
  };
  const numberOf = (text: string): number => {
    // As JSON, because half a character would be lost in UTF-8.
    const bytes = bytesOf(JSON.stringify(text));
    const key = createHash('sha256').update(bytes).digest('base64');
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, numbers.size);
    waiting.texts.parts.push(bytes);
    waiting.texts.bytes += bytes.length;
    return numbers.size - 1;
  };
  return {
    async add(path, kind, body) {
      const part =
        kind === 'bytes' ? body : bytesOf(withoutTexts(JSON.parse(new TextDecoder().decode(body)), numberOf));
      waiting.answers.parts.push(part);
      waiting.answers.paths.push([plainPath(path), kind]);
      waiting.answers.bytes += part.length;
      if (waiting.texts.bytes >= PACK_BYTES) await putTexts();
      if (waiting.answers.bytes >= PACK_BYTES) await putAnswers();
    },
    async end() {
      await putTexts();
      await putAnswers();
      return { answers, texts };
    },
  };
};
