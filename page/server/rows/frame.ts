// Zstd data that are put together of what lies in a file, compressed, and of a few bytes before it that are as they are:
// one frame (RFC 8878), because not everybody reads a second one.

const MAGIC = 0xfd2fb528;
/** The window of 8 MiB that browsers take; no length of the content, no checksum, no dictionary. */
const DESCRIPTOR = [0x00, 13 << 3] as const;
const MOST_BYTES = 2 ** 17;
const LENGTH_BYTES = [0, 2, 4, 8] as const;

/** The blocks of a frame that was made in one go and without a checksum. */
export const blocksOf = (frame: Uint8Array): Uint8Array => {
  const descriptor = frame[4]!;
  const whole = (descriptor & 0x20) !== 0;
  const length = LENGTH_BYTES[(descriptor >>> 6) as 0 | 1 | 2 | 3];
  // A frame that is one piece names no window; its length takes at least a byte.
  return frame.subarray(5 + (whole ? Math.max(1, length) : 1 + length));
};

/** A frame of these bytes, of which there are at most 128 KiB, and then of the blocks. */
export const framed = (first: Uint8Array, blocks: Uint8Array): Uint8Array<ArrayBuffer> => {
  if (first.length > MOST_BYTES) throw new RangeError(`expected at most ${MOST_BYTES} bytes, got ${first.length}`);
  const bytes = new Uint8Array(9 + first.length + blocks.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  bytes.set(DESCRIPTOR, 4);
  // A block that is not the last and not compressed: three bytes with the length above three bits of zero.
  view.setUint16(6, (first.length << 3) & 0xffff, true);
  view.setUint8(8, first.length >>> 13);
  bytes.set(first, 9);
  bytes.set(blocks, 9 + first.length);
  return bytes;
};
