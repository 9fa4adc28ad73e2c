// The destination of notices: a file of the data directory, because it belongs to the installation alone. Settings of a
// run come from anybody who may start one, and must not make a worker call an address or start a program.
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { SetupError } from './run-command.ts';

export type Webhook = {
  readonly kind: 'webhook';
  readonly url: string;
  /** Signs what is sent; null where the receiver asks for no signature. */
  readonly secret: Buffer | null;
};
export type Destination =
  | Webhook
  /** A program and its arguments. No shell reads them. */
  | { readonly kind: 'command'; readonly command: readonly [string, ...string[]] };

/** They name the files where these are not in the data directory. */
export const NOTIFY_FILE = 'EVOLVE_NOTIFY_FILE';
export const TRACKERS_FILE = 'EVOLVE_TRACKERS_FILE';
const IN_HOME = 'notify.json';
const MOST_BYTES = 65_536;
const LEAST_SECRET_BYTES = 16;

const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 100);

/** Null where nobody asked for notices. Throws SetupError that names the file, the key, what was expected and what came. */
export const readDestination = (root: string, env: NodeJS.ProcessEnv): Destination | null => {
  const [file, given] = namedJson(env, NOTIFY_FILE, join(root, IN_HOME), 'that says where notices go');
  return given === null ? null : checked(given, file);
};

/** The file that the variable names, or else the one in the data directory, and what it holds, as `givenJson` does. */
export const namedJson = (
  env: NodeJS.ProcessEnv,
  variable: string,
  inHome: string,
  purpose: string,
): readonly [file: string, given: unknown] => {
  const named = env[variable];
  if (named && !isAbsolute(named))
    throw new SetupError(`${variable}: expected the absolute path of a file, got ${shown(named)}`);
  const file = named || inHome;
  return [file, givenJson(file, purpose, file === named)];
};

/** The secrets of the file, for whoever has to keep them out of texts. Empty where the file cannot be read. */
export const secretsOfDestination = (root: string, env: NodeJS.ProcessEnv): readonly string[] => {
  const named = env[NOTIFY_FILE];
  try {
    const given = givenJson(named || join(root, IN_HOME), '', true) as {
      webhook?: { url?: unknown; secret?: unknown };
    };
    const { url, secret } = given.webhook ?? {};
    // The addresses that services give out are secrets themselves: whoever knows one may send to it.
    const parsed = typeof url === 'string' ? URL.parse(url) : null;
    const parts = [...(parsed?.pathname.split('/') ?? []), ...(parsed?.searchParams.values() ?? [])];
    return [
      ...parts.filter((part) => part.length > 15),
      ...(typeof url === 'string' ? [url] : []),
      ...(typeof secret === 'string' ? [secret] : []),
    ];
  } catch {
    return [];
  }
};

/** Null where there is no such file. Throws SetupError, which says what the file is for, where it is no small JSON. */
const givenJson = (file: string, purpose: string, required = false): unknown => {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined && !required) return null;
  if (stats === undefined || !stats.isFile() || stats.size > MOST_BYTES)
    throw new SetupError(
      `${file}: expected a file of at most ${MOST_BYTES} bytes ${purpose}, got ${stats === undefined ? 'none' : stats.isFile() ? `${stats.size} bytes` : 'something else'}`,
    );
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown;
  } catch (error) {
    // The parser's words would quote the file, which may hold a secret.
    const { code } = error as NodeJS.ErrnoException;
    throw new SetupError(`${file}: expected JSON, got ${code === undefined ? 'a text that is none' : code}`, {
      cause: null,
    });
  }
};

type Given = Readonly<Record<string, unknown>>;
const isMapping = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const checked = (given: unknown, file: string): Destination => {
  const refuse = (key: string, expected: string, came: string): never => {
    throw new SetupError(`${file}: ${key === '' ? '' : `${key}: `}expected ${expected}, got ${came}`);
  };
  const known = (value: unknown, key: string, names: readonly string[]): Given => {
    if (!isMapping(value)) return refuse(key, `a mapping with ${names.join(' and ')}`, 'something else');
    const other = Object.keys(value).find((name) => !names.includes(name));
    return other === undefined ? value : refuse(key, `the keys ${names.join(', ')}`, shown(other));
  };
  const top = known(given, '', ['webhook', 'command']);
  const webhook = top['webhook'] === undefined ? null : known(top['webhook'], 'webhook', ['url', 'secret']);
  const url = webhook?.['url'];
  if (webhook !== null && (typeof url !== 'string' || !/^https?:$/.test(URL.parse(url)?.protocol ?? '')))
    refuse('webhook.url', 'an address that begins with https:// or http://', 'something else');
  const { username, password } = URL.parse(String(url)) ?? { username: '', password: '' };
  if (username !== '' || password !== '')
    refuse('webhook.url', 'an address without user and password, which no request is sent with', 'one with them');
  const command = top['command'] ?? null;
  if (
    command !== null &&
    !(
      Array.isArray(command) &&
      command.length > 0 &&
      command.every((word) => typeof word === 'string' && !word.includes('\0')) &&
      isAbsolute(command[0] as string)
    )
  )
    refuse('command', 'a list that begins with the absolute path of a program, then its arguments', shown(command));
  if ((webhook === null) === (command === null))
    refuse('', 'webhook or command', webhook === null ? 'neither' : 'both');
  return webhook === null
    ? { kind: 'command', command: command as [string, ...string[]] }
    : { kind: 'webhook', url: url as string, secret: secretOf(webhook['secret'], refuse) };
};

const secretOf = (
  given: unknown,
  refuse: (key: string, expected: string, came: string) => never,
): Webhook['secret'] => {
  if (given === undefined || given === null) return null;
  const text = typeof given === 'string' ? given.replace(/^whsec_/, '') : '';
  const secret = Buffer.from(text, 'base64');
  return secret.length >= LEAST_SECRET_BYTES && secret.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '')
    ? secret
    : refuse(
        'webhook.secret',
        `at least ${LEAST_SECRET_BYTES} bytes in base64 (\`openssl rand -base64 32\`), as the receiver has them`,
        `${secret.length} bytes`,
      );
};
