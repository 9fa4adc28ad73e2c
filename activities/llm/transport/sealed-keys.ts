// Keys of endpoints as they stand in the database, for hosts that have none of their own: encrypted with AES-256-GCM
// under a key that only the hosts have. The endpoint is part of what is proved, so that whoever may write to the
// database cannot have a key sent elsewhere.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

export const SECRETS_KEY = 'EVOLVE_SECRETS_KEY';
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** `sealed` is nonce, ciphertext and tag, one behind the other, in base64. */
export type SealedKey = { readonly endpoint: string; readonly sealed: string };

/** Null where none is set. The error says nothing of the key, because messages go to logs. */
export const secretsKeyIn = (env: NodeJS.ProcessEnv): Buffer | null => {
  const text = env[SECRETS_KEY]?.trim();
  if (!text) return null;
  const key = Buffer.from(text, 'base64');
  if (key.length === KEY_BYTES && key.toString('base64') === text) return key;
  throw new Error(
    `${SECRETS_KEY}: expected ${KEY_BYTES} bytes in base64 (\`openssl rand -base64 ${KEY_BYTES}\`), got something else, which reads as ${key.length} bytes`,
  );
};

export const sealKey = (secret: Buffer, endpoint: string, key: string): SealedKey => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, secret, nonce).setAAD(Buffer.from(endpoint));
  const parts = [nonce, cipher.update(key, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return { endpoint, sealed: Buffer.concat(parts).toString('base64') };
};

/** Throws where it was sealed with another key, or for another endpoint. */
export const openKey = (secret: Buffer, { endpoint, sealed }: SealedKey): string => {
  const data = Buffer.from(sealed, 'base64');
  try {
    if (data.length < NONCE_BYTES + TAG_BYTES) throw new Error('too short');
    const decipher = createDecipheriv(CIPHER, secret, data.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(endpoint)).setAuthTag(data.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(data.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    throw new Error(
      `the shared key of ${endpoint} cannot be decrypted with the ${SECRETS_KEY} of this host: expected the one with which \`evolve keys share\` ran; set that one, or share the key again`,
    );
  }
};
