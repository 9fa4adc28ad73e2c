// Length-prefixed frames between the host and a Python process: kind (1 byte), length (4 bytes, big endian), payload.
// Both sides have to agree on this form.
export type Frame = { readonly kind: string; readonly payload: Buffer };

/** A request from host to container: length and JSON, without a kind. */
export const encodeRequest = (value: unknown): Buffer => {
  const payload = Buffer.from(JSON.stringify(value));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(payload.length);
  return Buffer.concat([head, payload]);
};

export const HEAD_BYTES = 5;

/** A message of a conversation, in either direction: kind, length, payload. */
export const encodeFrame = (kind: string, ...parts: readonly Buffer[]): Buffer => {
  const head = Buffer.alloc(HEAD_BYTES);
  head.write(kind, 'latin1');
  head.writeUInt32BE(
    parts.reduce((sum, part) => sum + part.length, 0),
    1,
  );
  return Buffer.concat([head, ...parts]);
};

/**
 * Takes chunks of any size, at a cost that grows with their bytes only, and gives complete frames; `held` is the number
 * of bytes of a frame that is not complete. `onOversize` is called once, before anything larger than the cap is
 * buffered.
 */
export const createFrameReader = (options: {
  readonly maxPayloadBytes: number;
  readonly onFrame: (frame: Frame) => void;
  readonly onOversize: () => void;
}): { add(chunk: Buffer): void; held(): number } => {
  let store = Buffer.alloc(0);
  let held = 0;
  let stopped = false;
  const append = (chunk: Buffer): void => {
    if (store.length < held + chunk.length) {
      const larger = Buffer.alloc(Math.max(2 * held, held + chunk.length));
      store.copy(larger, 0, 0, held);
      store = larger;
    }
    chunk.copy(store, held);
    held += chunk.length;
  };
  /** Gives the complete frames at the start of `bytes` and returns where the rest begins. */
  const take = (bytes: Buffer): number => {
    let at = 0;
    while (!stopped && bytes.length - at >= HEAD_BYTES) {
      const end = at + HEAD_BYTES + bytes.readUInt32BE(at + 1);
      if (end - at - HEAD_BYTES > options.maxPayloadBytes) {
        stopped = true;
        options.onOversize();
        break;
      }
      if (end > bytes.length) break;
      options.onFrame({
        kind: String.fromCharCode(bytes[at]!),
        payload: Buffer.from(bytes.subarray(at + HEAD_BYTES, end)),
      });
      at = end;
    }
    return at;
  };
  const add = (chunk: Buffer): void => {
    if (stopped) return;
    if (held > 0) append(chunk);
    const bytes = held > 0 ? store.subarray(0, held) : chunk;
    const rest = bytes.subarray(take(bytes));
    if (rest.length === held) return;
    // What is left came with the last chunk, so it is copied once.
    [store, held] = [Buffer.alloc(0), 0];
    append(Buffer.from(rest));
  };
  return { add, held: () => held };
};
