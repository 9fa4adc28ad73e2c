// Keys of endpoints for all hosts of an installation: an operator shares them on a machine that has them, and workers
// of the role `model` elsewhere use them.
import { openKey, SECRETS_KEY, sealKey, secretsKeyIn } from '../../activities/llm/transport/sealed-keys.ts';
import type { Store } from '../../activities/store/store.ts';
import { tidyUrl } from '../../evolution/config/layers.ts';
import { type Place, withStore } from './connection.ts';
import { UsageError } from './errors.ts';
import { rememberedKeys } from './keys.ts';

type KeyStore = Pick<Store, 'sharedKeys' | 'changeSharedKeys'>;

/** The places of an endpoint's key: this data directory, the database. It never holds the key. */
export type KeyPlace = { readonly endpoint: string; readonly here: boolean; readonly shared: boolean };

export const keyPlaces = async (store: KeyStore, home: string): Promise<readonly KeyPlace[]> => {
  const here = Object.keys(rememberedKeys(home));
  const shared = (await store.sharedKeys()).map(({ endpoint }) => endpoint);
  return [...new Set([...here, ...shared])]
    .sort()
    .map((endpoint) => ({ endpoint, here: here.includes(endpoint), shared: shared.includes(endpoint) }));
};

/** Shares the keys of these endpoints, or of all. Resolves to the endpoints. Throws UsageError with what to change. */
export const shareKeys = async (
  store: KeyStore,
  { home, env }: { readonly home: string; readonly env: NodeJS.ProcessEnv },
  wanted: readonly string[],
): Promise<readonly string[]> => {
  const secret = ownSecret(env);
  if (secret === null)
    throw new UsageError(
      `${SECRETS_KEY}: expected 32 bytes in base64 (\`openssl rand -base64 32\`), got none; keys are encrypted with it before they go to the database, and each host that is to use them needs it in its environment`,
    );
  const keys = rememberedKeys(home);
  const endpoints = wanted.length === 0 ? Object.keys(keys).sort() : wanted.map(tidyUrl);
  const missing = endpoints.find((endpoint) => !Object.hasOwn(keys, endpoint));
  if (missing !== undefined || endpoints.length === 0)
    throw new UsageError(
      `expected endpoints whose keys are in keys.json of this data directory (${Object.keys(keys).sort().join(', ') || 'it has none'}), got ${missing ?? 'none'}: \`evolve run\` with OPENAI_API_KEY and OPENAI_BASE_URL set puts one there`,
    );
  await store.changeSharedKeys({
    put: endpoints.map((endpoint) => sealKey(secret, endpoint, keys[endpoint]!)),
    remove: [],
  });
  return endpoints;
};

/** Takes the keys of these endpoints, or of all, out of the database. */
export const unshareKeys = async (store: KeyStore, wanted: readonly string[]): Promise<readonly string[]> => {
  const shared = (await store.sharedKeys()).map(({ endpoint }) => endpoint);
  const endpoints = wanted.length === 0 ? shared : wanted.map(tidyUrl);
  const missing = endpoints.find((endpoint) => !shared.includes(endpoint));
  if (missing !== undefined)
    throw new UsageError(
      `expected endpoints whose keys are shared (${shared.join(', ') || 'none is'}), got ${missing}`,
    );
  await store.changeSharedKeys({ put: [], remove: endpoints });
  return endpoints;
};

/** The shared key of an endpoint, where this machine has what decrypts it. */
export const sharedKeyFor = async (place: Place, endpoint: string): Promise<string | null> => {
  const secret = ownSecret(place.env);
  if (secret === null) return null;
  const keys = await withStore(place, (store) => store.sharedKeys());
  const sealed = keys.find((one) => one.endpoint === endpoint);
  return sealed === undefined ? null : openKey(secret, sealed);
};

const ownSecret = (env: NodeJS.ProcessEnv): Buffer | null => {
  try {
    return secretsKeyIn(env);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
};
