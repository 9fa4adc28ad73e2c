// Tells whether the image mongo:8 is there or can be pulled quickly. It never waits long on a machine that reaches no
// public registry.
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askEngine, canAsk } from '../docker/engine-address.ts';

export const MONGO_IMAGE = 'mongo:8';
/** The flags of a server of our own, in a container or not. */
export const mongodFlags = (port: number | string): readonly string[] => [
  ...['--bind_ip', '127.0.0.1', '--port', String(port)],
  ...['--wiredTigerCacheSizeGB', '1', '--auth', '--quiet'],
];
const PROBE_TIMEOUT_MS = 4_000;
const PULL_TIMEOUT_MS = 10 * 60_000;
/** A registry that did not answer is asked again only after this time. */
const REMEMBERED_MS = 24 * 3600_000;

type MongoImage = { readonly version: string; readonly how: string } | { readonly why: string };

const inspect = async (host: string): Promise<string | null> => {
  const { status, body } = await askEngine(host, 'GET', `/images/${MONGO_IMAGE}/json`);
  if (status !== 200) return null;
  const environment = (JSON.parse(body) as { Config?: { Env?: string[] } }).Config?.Env ?? [];
  return environment.find((line) => line.startsWith('MONGO_VERSION='))?.split('=')[1] ?? '8';
};

const modifiedMs = (file: string): number => {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return 0;
  }
};

/** Lets the engine itself ask the registry, as it would for a pull. */
const registryHasIt = (host: string): Promise<boolean> =>
  askEngine(host, 'GET', `/distribution/${MONGO_IMAGE}/json`, PROBE_TIMEOUT_MS).then(
    ({ status }) => status === 200,
    () => false,
  );

export const findMongoImage = async (options: {
  readonly dockerHost: string;
  readonly parts: string;
  readonly say: (line: string) => void;
}): Promise<MongoImage> => {
  const { dockerHost, parts, say } = options;
  if (!canAsk(dockerHost)) return { why: `Docker ${MONGO_IMAGE} is not tried over ${dockerHost.split(':')[0]}` };
  const present = await inspect(dockerHost);
  if (present) return { version: present, how: 'already there' };
  const silent = join(parts, 'registry-silent');
  if (Date.now() - modifiedMs(silent) < REMEMBERED_MS)
    return { why: `no Docker image ${MONGO_IMAGE}, and no public image registry answered lately` };
  if (!(await registryHasIt(dockerHost))) {
    writeFileSync(silent, '');
    return { why: `no Docker image ${MONGO_IMAGE}, and no public image registry answers` };
  }
  say(`pulling ${MONGO_IMAGE} (a public image registry answers)`);
  const pulled = await askEngine(dockerHost, 'POST', '/images/create?fromImage=mongo&tag=8', PULL_TIMEOUT_MS);
  const version = pulled.status === 200 ? await inspect(dockerHost) : null;
  return version
    ? { version, how: 'pulled' }
    : { why: `pulling ${MONGO_IMAGE} failed: ${pulled.body.trim().split('\n').at(-1)?.slice(0, 200) ?? ''}` };
};
