// The payload codec: AES-256-GCM between our processes and the Temporal server, in the form that Temporal's own examples
// use, so that their tools read it as well. Plain payloads are read too, so that encryption can begin in the middle of a
// run.
import proto from '@temporalio/proto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { KEYS, PayloadKeyError, type PayloadKeys } from './keys.ts';

const { Payload: Wire } = proto.temporal.api.common.v1;
const ENCODING = 'binary/encrypted';
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (data: Uint8Array | null | undefined): string => (data ? new TextDecoder().decode(data) : '');

/** Data is nonce, ciphertext and tag, one behind the other. */
const encrypt = (payload: Payload, id: string, key: Buffer): Payload => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  const sealed = [cipher.update(Wire.encode(payload).finish()), cipher.final()];
  return {
    metadata: { encoding: bytes(ENCODING), 'encryption-key-id': bytes(id) },
    data: Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]),
  };
};

/** Null where the data is not what this key encrypted. */
const decrypt = (data: Uint8Array, key: Buffer): Payload | null => {
  if (data.length < NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, key, data.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(data.subarray(-TAG_BYTES));
  try {
    const plain = [decipher.update(data.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
    return Wire.decode(Buffer.concat(plain)) as Payload;
  } catch {
    return null;
  }
};

/**
 * `inUse` says whether this installation encrypts with the key of this id. A payload with such a key that is missing
 * here is an error, which the server has tried again until the process has the key. Anybody may send what was encrypted
 * with any other key: it stays as it is, and the payload converter says that it cannot be read. As an error it would
 * stop the workflow that it was sent to for ever.
 */
export const createPayloadCodec = (
  { writes, keys, from }: PayloadKeys,
  inUse: (id: string) => Promise<boolean>,
): PayloadCodec => {
  const decodeOne = async (payload: Payload): Promise<Payload> => {
    if (text(payload.metadata?.['encoding']) !== ENCODING) return payload;
    const id = text(payload.metadata?.['encryption-key-id']);
    const key = keys.get(id);
    if (key) return decrypt(payload.data ?? new Uint8Array(), key) ?? payload;
    // What a retired key encrypted is nowhere kept, so that it is somebody else's who only knows the name.
    if (key === undefined && (await inUse(id)))
      throw new PayloadKeyError(
        `a payload is encrypted with the key ${id}, which ${from} does not have: add it there, behind the key that encrypts`,
      );
    return payload;
  };
  return {
    async encode(payloads) {
      const key = writes === null ? null : keys.get(writes);
      return key && writes !== null ? payloads.map((payload) => encrypt(payload, writes, key)) : payloads;
    },
    decode: async (payloads) => Promise.all(payloads.map(decodeOne)),
  };
};

/** Stands where no key is given: what this installation encrypted is told as such instead of as broken. */
export const NO_KEYS: PayloadKeys = { writes: null, keys: new Map(), from: KEYS };
