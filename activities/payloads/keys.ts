// The keys with which payloads are encrypted before they leave for the Temporal server. They come from the environment
// or from a file, and never enter settings, history, the database or logs. The database holds a check of each, so that a
// process with another key is told before it takes work.
import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { GIVEN_BYTES, readGiven } from '../given-file.ts';

/** `null`: the key is retired, and nothing that it encrypted is kept any more. */
type Keys = ReadonlyMap<string, Buffer | null>;
export type PayloadKeys = {
  /** The id of the key that encrypts. Null where what is written is plain, and only older payloads are decrypted. */
  readonly writes: string | null;
  readonly keys: Keys;
  /** Where they were read, for messages. */
  readonly from: string;
};

export const KEYS = 'EVOLVE_PAYLOAD_KEYS';
const KEYS_FILE = 'EVOLVE_PAYLOAD_KEYS_FILE';
const PLAIN = 'plain';
const RETIRED = 'retired';
const BYTES = 32;
const ID = /^[a-z0-9][a-z0-9._-]{0,31}$/;

/** What is wrong with the keys of this process, in one line that says what to change. */
export class PayloadKeyError extends Error {
  override readonly name = 'PayloadKeyError';
}

const FORM = `one \`id:key\` a line, the key being ${BYTES} bytes in base64 (\`openssl rand -base64 ${BYTES}\`)`;

/** Says nothing of the key itself, because messages go to logs. */
const parseKey = (id: string, text: string, from: string): Buffer | null => {
  if (text === RETIRED) return null;
  const key = Buffer.from(text, 'base64');
  if (key.length !== BYTES || key.toString('base64') !== text)
    throw new PayloadKeyError(
      `${from}: the key ${id} is not ${BYTES} bytes in base64 (it reads as ${key.length}): expected ${FORM}`,
    );
  return key;
};

export const parsePayloadKeys = (text: string, from: string): PayloadKeys => {
  const entries = text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const keys = new Map<string, Buffer | null>();
  let writes: string | null | undefined;
  for (const [index, entry] of entries.entries()) {
    if (entry === PLAIN && index === 0) {
      writes = null;
      continue;
    }
    const [, id, key] = /^([^:]*):(.*)$/s.exec(entry) ?? [];
    if (id === undefined || key === undefined || !ID.test(id) || id === PLAIN)
      throw new PayloadKeyError(
        `${from}: entry ${index + 1} has no id of small letters, digits, dots and dashes before a colon: expected ${FORM}`,
      );
    if (keys.has(id)) throw new PayloadKeyError(`${from}: expected each id once, got ${id} twice: remove one of them`);
    keys.set(id, parseKey(id, key.trim(), from));
    if (writes === undefined && keys.get(id) === null)
      throw new PayloadKeyError(
        `${from}: the first key encrypts, and ${id} is retired: put the key in use first, or \`${PLAIN}\` to encrypt no more`,
      );
    if (writes === undefined) writes = id;
  }
  if (writes === undefined)
    throw new PayloadKeyError(`${from}: expected at least one key, got none: expected ${FORM}, or unset it`);
  return { writes, keys, from };
};

const readKeysFile = (path: string): string => {
  try {
    return readGiven(path, { maxBytes: GIVEN_BYTES.settings });
  } catch (error) {
    throw new PayloadKeyError(
      `${path} cannot be read as payload keys (${(error as Error).message}): expected a file with ${FORM}`,
      { cause: error },
    );
  }
};

/** The name of the file in a data directory, from which all processes of it read where the environment names nothing. */
const IN_HOME = 'payload-keys';

/** Null where payloads are not encrypted. Throws PayloadKeyError where the keys cannot be read. */
export const readPayloadKeys = (env: NodeJS.ProcessEnv, home: string): PayloadKeys | null => {
  if (env[KEYS]) return parsePayloadKeys(env[KEYS], KEYS);
  const named = env[KEYS_FILE];
  if (named) return parsePayloadKeys(readKeysFile(named), named);
  const file = join(home, IN_HOME);
  return existsSync(file) ? parsePayloadKeys(readKeysFile(file), file) : null;
};

/** What may be stored of a key: it tells the same key again, and gives nothing away of 32 random bytes. */
export const checkOf = (key: Buffer): string =>
  createHmac('sha256', key).update('durable-evolve payload key').digest('hex').slice(0, 32);
