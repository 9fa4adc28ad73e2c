// The keys that a process may send or hold, so that they can be taken out of whatever an endpoint says. Those of
// endpoints are in `keys.json` in the data directory (mode 0600), which the command line writes, and in the file of the
// same form that EVOLVE_KEYS_FILE names, which goes before it (secrets of containers are files). They are read again
// for every call, so that a replaced key works at once, and never enter settings, history, database or logs.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createRedactor, type Redactor } from './redact.ts';

export type KeyRing = Redactor & {
  /** The key remembered for an endpoint, or null. Throws where keys.json cannot be read. */
  keyOf(baseUrl: string): string | null;
  /** Keys that all hosts have in common, in the place of those shared before. A key of the host's own goes before. */
  share(keys: Readonly<Record<string, string>>): void;
  /** From now on this is a key too, and one that was replaced stays one. */
  remember(key: string): void;
};

type Held = {
  /** The data directory with keys.json. Without it only the environment's keys and those remembered are known. */
  readonly home?: string;
  readonly env?: NodeJS.ProcessEnv;
};

/** Shared keys are known to no file and no variable, and every ring of the process has to take them out of texts. */
const everywhere = new Set<string>();

export const createKeyRing = ({ home, env = {} }: Held = {}): KeyRing => {
  const known = new Set(secretsIn(env));
  const named = env['EVOLVE_KEYS_FILE'] || null;
  /** A later file goes before an earlier one. */
  const files = [...(home === undefined ? [] : [join(home, 'keys.json')]), ...(named === null ? [] : [named])];
  let stamp = '';
  let byEndpoint: Readonly<Record<string, string>> = {};
  let shared: Readonly<Record<string, string>> = {};
  let redactor: Redactor | null = null;
  let takenOut = 0;

  const remember = (key: string): void => {
    const trimmed = key.trim();
    if (trimmed === '' || known.has(trimmed)) return;
    known.add(trimmed);
    redactor = null;
  };
  /** Reads the file where it has changed. */
  const refresh = (): void => {
    const stamps = files.map(stampOf);
    const now = stamps.join('\n');
    if (now === stamp) return;
    if (named !== null && stamps.at(-1) === '')
      throw new Error(
        `EVOLVE_KEYS_FILE: expected a file with a JSON object of {"endpoint": "key"}, got none at ${named}`,
      );
    byEndpoint = Object.assign({}, ...files.map((file, index) => (stamps[index] === '' ? {} : parsed(file))));
    stamp = now;
    for (const [endpoint, key] of Object.entries(byEndpoint))
      for (const one of [key, ...inUrl(endpoint)]) remember(one);
  };
  const current = (): Redactor => {
    try {
      refresh();
    } catch {
      // Whoever asks for a key is told. What is known until now is taken out.
    }
    if (takenOut !== everywhere.size) redactor = null;
    takenOut = everywhere.size;
    redactor ??= createRedactor([...known, ...everywhere]);
    return redactor;
  };
  return {
    remember,
    keyOf(baseUrl) {
      refresh();
      const own = (keys: Readonly<Record<string, string>>): string | null =>
        (Object.hasOwn(keys, baseUrl) && keys[baseUrl]!.trim()) || null;
      return own(byEndpoint) ?? own(shared);
    },
    share(keys) {
      shared = keys;
      for (const key of Object.values(keys)) if (key.trim() !== '') everywhere.add(key.trim());
    },
    answer: (text) => current().answer(text),
    error: (text) => current().error(text),
    report: (text) => current().report(text),
  };
};

/** Empty where there is no such file. */
const stampOf = (file: string): string => {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`;
};

/** The parser's own error would quote the file. */
const parsed = (file: string): Readonly<Record<string, string>> => {
  let keys: unknown = null;
  try {
    keys = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined)
      throw new Error(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: null });
  }
  if (typeof keys === 'object' && keys !== null && !Array.isArray(keys))
    return Object.fromEntries(
      Object.entries(keys).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  throw new Error(
    `${file}: expected a JSON object of {"endpoint": "key"}, got something else: repair or remove it, then run the command again with OPENAI_API_KEY set`,
  );
};

const SECRET_NAME = /((KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)|KEY_DATA|^TEMPORAL_GRPC_META_\w+)$/i;
/** Shorter values are switches. */
const SHORTEST_IN_ENVIRONMENT = 8;
const HEADERS = 'OPENAI_CUSTOM_HEADERS';
const PAYLOAD_KEYS = 'EVOLVE_PAYLOAD_KEYS';
const COLLECTOR_HEADERS = /^OTEL_EXPORTER_OTLP(_\w+)?_HEADERS$/;

/**
 * The values of the environment that are secrets by their name, and passwords in its addresses (proxies, the database).
 */
export const secretsIn = (env: NodeJS.ProcessEnv): readonly string[] =>
  Object.entries(env).flatMap(([name, value]) => {
    if (!value) return [];
    // Several keys in one variable: `id:key,id:key`, and `header=value,header=value`.
    if (name === PAYLOAD_KEYS) return value.split(/[\n,]/).map((entry) => entry.slice(entry.indexOf(':') + 1).trim());
    if (COLLECTOR_HEADERS.test(name))
      return value.split(',').flatMap((entry) => decodedToo(entry.slice(entry.indexOf('=') + 1).trim()));
    if (name === HEADERS) return value.split('\n').map((line) => line.slice(line.indexOf(':') + 1).trim());
    if (SECRET_NAME.test(name)) return isPath(value) || value.length < SHORTEST_IN_ENVIRONMENT ? [] : [value.trim()];
    return inUrl(value);
  });

/** The path of a file that holds a key is no key. Of keys in base64 every 64th begins like a path. */
const isPath = (value: string): boolean =>
  value.startsWith('/') &&
  (existsSync(value) ||
    value.length < SHORTEST_IN_BASE64 ||
    Buffer.from(value, 'base64').toString('base64') !== value.trim());
const SHORTEST_IN_BASE64 = 24;

const USER_INFO = /^[a-z][a-z0-9+.-]{0,30}:\/\/[^/\s@]{0,300}:([^/\s@]{1,300})@/i;

const inUrl = (value: string): readonly string[] => {
  const password = USER_INFO.exec(value)?.[1];
  return password === undefined ? [] : decodedToo(password);
};

const decodedToo = (text: string): readonly string[] => {
  try {
    return [text, decodeURIComponent(text)];
  } catch {
    return [text];
  }
};

/** The key can stand in a header. The error of a library would quote one that cannot. */
export const isSendable = (key: string): boolean => /^[\x21-\x7e]{1,10000}$/.test(key.trim());
