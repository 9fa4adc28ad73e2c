// API keys by endpoint. They are written to keys.json in the data directory (mode 0600) and nowhere else, and the model
// worker reads them for every call.
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { embeddingEndpoint } from '../../activities/llm/embeddings/endpoint.ts';
import { tidyUrl } from '../../evolution/config/layers.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { UsageError } from './errors.ts';
import { writeWhole } from '../../activities/whole-file.ts';

/** The part of a model's settings that decides about its key. */
type Endpoint = { readonly kind: string; readonly baseUrl: string | null };

const fileOf = (root: string): string => join(root, 'keys.json');

/** Throws UsageError where keys.json cannot be read. */
export const rememberedKeys = (root: string): Record<string, string> => {
  let text: string;
  try {
    text = readFileSync(fileOf(root), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  try {
    const keys: unknown = JSON.parse(text);
    if (keys !== null && typeof keys === 'object' && !Array.isArray(keys)) return keys as Record<string, string>;
  } catch {
    /* the error below says so */
  }
  throw new UsageError(
    `${fileOf(root)}: expected a JSON object of {"endpoint": "key"}, got something else: repair or remove it, then run the command again with OPENAI_API_KEY set`,
  );
};

/** Keeps the key for the endpoint. The file is replaced in one step and is readable by its owner only. */
export const rememberKey = (root: string, baseUrl: string, key: string): void => {
  const keys = rememberedKeys(root);
  if (keys[baseUrl] === key) {
    chmodSync(fileOf(root), 0o600);
    return;
  }
  writeWhole(fileOf(root), `${JSON.stringify({ ...keys, [baseUrl]: key }, null, 2)}\n`, 0o600);
};

/**
 * The endpoint to which OPENAI_API_KEY belongs: the one that OPENAI_BASE_URL names, else that of the first model. Null
 * without a key.
 */
const keyOwner = (models: readonly Endpoint[], env: NodeJS.ProcessEnv): string | null => {
  if (!env['OPENAI_API_KEY']) return null;
  const theirs = env['OPENAI_BASE_URL'];
  return theirs ? tidyUrl(theirs) : (models[0]?.baseUrl ?? null);
};

/** The key for an endpoint: the environment's where it belongs to this endpoint, else the remembered one. */
export const keyFor = (
  root: string,
  baseUrl: string,
  models: readonly Endpoint[],
  env: NodeJS.ProcessEnv,
): string | null =>
  keyOwner(models, env) === baseUrl ? (env['OPENAI_API_KEY'] ?? null) : (rememberedKeys(root)[baseUrl] ?? null);

/**
 * Remembers OPENAI_API_KEY for the endpoint to which it belongs, where one of these models uses that endpoint. Returns
 * true when one does.
 */
export const refreshKey = (root: string, models: readonly Endpoint[], env: NodeJS.ProcessEnv): boolean => {
  const owner = keyOwner(models, env);
  if (owner === null || !models.some(({ kind, baseUrl }) => kind !== 'offline' && baseUrl === owner)) return false;
  rememberKey(root, owner, env['OPENAI_API_KEY'] ?? '');
  return true;
};

/** Does the same for everything that a run asks: its models, the server of its policies, and its embedding model. */
export const refreshKeys = (
  root: string,
  config: Pick<RunConfig, 'model' | 'models' | 'embedding' | 'learning'>,
  env: NodeJS.ProcessEnv,
): boolean =>
  refreshKey(
    root,
    [
      ...[config.model, ...config.models],
      ...(config.embedding.model === null ? [] : [embeddingEndpoint(config)]),
      { kind: 'openai', baseUrl: config.learning.serveUrl },
    ],
    env,
  );
