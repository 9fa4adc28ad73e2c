// API keys, by endpoint: written to keys.json in the data directory, mode 0600, read by the model worker for every call. Nowhere else.
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tidyUrl } from '../evolution/config/environment.ts';
import { UsageError } from './exit.ts';

const fileOf = (root: string): string => join(root, 'keys.json');

const readKeys = (root: string): Record<string, string> => {
  let text: string;
  try { text = readFileSync(fileOf(root), 'utf8'); } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  try {
    const keys: unknown = JSON.parse(text);
    if (keys !== null && typeof keys === 'object' && !Array.isArray(keys)) return keys as Record<string, string>;
  } catch { /* told below */ }
  throw new UsageError(`${fileOf(root)} is not a JSON object of {"endpoint": "key"}: repair or remove it, then run the command again with OPENAI_API_KEY set`);
};

export const knownKey = (root: string, baseUrl: string): string | null => readKeys(root)[baseUrl] ?? null;

/** Keeps the key for the endpoint; the file appears whole and readable by its owner only. */
export const rememberKey = (root: string, baseUrl: string, key: string): void => {
  const keys = readKeys(root);
  if (keys[baseUrl] === key) { chmodSync(fileOf(root), 0o600); return; }
  const part = `${fileOf(root)}.${process.pid}`;
  writeFileSync(part, `${JSON.stringify({ ...keys, [baseUrl]: key }, null, 2)}\n`, { mode: 0o600 });
  renameSync(part, fileOf(root));
};

/** Takes over OPENAI_API_KEY for a run's endpoint where it is set; true when it was. */
export const refreshKey = (root: string, model: { readonly kind: string; readonly baseUrl: string | null }, env: NodeJS.ProcessEnv): boolean => {
  const key = env['OPENAI_API_KEY'];
  if (!key || model.kind === 'offline' || model.baseUrl === null) return false;
  const theirs = env['OPENAI_BASE_URL'];
  if (theirs && tidyUrl(theirs) !== model.baseUrl) return false;
  rememberKey(root, model.baseUrl, key);
  return true;
};
