// The answers of an exported page as they lie in its file: in packs, each compressed by itself, so that a view unpacks
// only its own. A text that several answers hold is there once. The exporter packs, the page in the browser unpacks.
import type { Site } from './live.ts';

/** A pack before it is compressed, little-endian: the number of its parts, the length of each, then the parts. */
export const packed = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const head = 4 * (1 + parts.length);
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, head));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, parts.length, true);
  let at = head;
  for (const [index, part] of parts.entries()) {
    view.setUint32(4 * (1 + index), part.length, true);
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
};

/** Views into the pack, nothing is copied. Throws RangeError where it ends too early. */
export const partsOf = (pack: Uint8Array<ArrayBuffer>): readonly Uint8Array<ArrayBuffer>[] => {
  const view = new DataView(pack.buffer, pack.byteOffset, pack.byteLength);
  const count = view.getUint32(0, true);
  let at = 4 * (1 + count);
  return Array.from({ length: count }, (_, index) => {
    const length = view.getUint32(4 * (1 + index), true);
    const part = new Uint8Array(pack.buffer, pack.byteOffset + at, length);
    at += length;
    return part;
  });
};

/** The form of an answer; `refused` is JSON that says why there is none. */
export type PackedKind = 'json' | 'bytes' | 'refused';

export type FileIndex = {
  readonly site: Site;
  /** By its path: the pack, the part of it, and how it is to be read. */
  readonly answers: { readonly [path: string]: readonly [pack: number, part: number, kind: PackedKind] };
  /** For each pack of texts: its number, and the number of its first text. */
  readonly texts: readonly (readonly [pack: number, first: number])[];
  /** The parts of the run that are not in this file, in words; null where all are. */
  readonly left: string | null;
};

/** Texts of this length and longer are taken out of answers. */
const LONG_CHARS = 200;
/** Begins a string that stands for a text. A string that begins with it by itself is taken out too, however short. */
const MARK = '\u0001';

/** The answer as JSON, with long texts replaced by what `numberOf` gives for them. */
export const withoutTexts = (value: unknown, numberOf: (text: string) => number): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'string' && (inner.length >= LONG_CHARS || inner.startsWith(MARK))
      ? `${MARK}${numberOf(inner)}`
      : inner,
  );

/** The answer again. `textOf` gives null for a text that is not unpacked yet; then the whole is null. */
export const withTexts = (
  json: string,
  textOf: (number: number) => string | null,
): { readonly value: unknown } | null => {
  let whole = true;
  const value: unknown = JSON.parse(json, (_, inner: unknown) => {
    if (typeof inner !== 'string' || !inner.startsWith(MARK)) return inner;
    const text = textOf(Number(inner.slice(1)));
    if (text === null) whole = false;
    return text;
  });
  return whole ? { value } : null;
};

/**
 * One form for addresses that ask the same: the parameters in order, without those that only say what a page has
 * already.
 */
export const plainPath = (path: string): string => {
  const [before = '', query = ''] = path.split('?');
  const wanted = [...new URLSearchParams(query)]
    .filter(([name]) => !ASIDE.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const text = new URLSearchParams(wanted).toString();
  return `${before.split('/').map(decoded).map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
};
const ASIDE: ReadonlySet<string> = new Set(['from', 'lineage']);
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
