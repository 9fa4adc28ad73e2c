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

const HEAD_BYTES = 5;

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
 * Takes chunks and gives complete frames. `onOversize` is called once, before anything larger than the cap is buffered.
 */
export const createFrameReader = (options: {
  readonly maxPayloadBytes: number;
  readonly onFrame: (frame: Frame) => void;
  readonly onOversize: () => void;
}): ((chunk: Buffer) => void) => {
  let parts: Buffer[] = [];
  let held = 0;
  let stopped = false;
  let wanted = HEAD_BYTES;
  const drain = (): void => {
    while (!stopped && held >= wanted) {
      const all = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
      const length = all.readUInt32BE(1);
      if (length > options.maxPayloadBytes) {
        stopped = true;
        parts = [];
        return options.onOversize();
      }
      wanted = HEAD_BYTES + length;
      if (held < wanted) {
        parts = [all];
        return;
      }
      options.onFrame({ kind: String.fromCharCode(all[0]!), payload: Buffer.from(all.subarray(HEAD_BYTES, wanted)) });
      parts = [all.subarray(wanted)];
      held -= wanted;
      wanted = HEAD_BYTES;
    }
  };
  return (chunk) => {
    if (stopped) return;
    parts.push(chunk);
    held += chunk.length;
    drain();
  };
};
