// API keys, by endpoint: `keys.json` in the data directory, mode 0600, written by the CLI. Read again for every call, so that
// a replaced key works at once; never in settings, history, database or logs.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The key remembered for an endpoint, or null. */
export const readKey = async (home: string, baseUrl: string): Promise<string | null> => {
  try {
    const keys = JSON.parse(await readFile(join(home, 'keys.json'), 'utf8')) as Record<string, unknown>;
    const key = keys[baseUrl];
    return typeof key === 'string' && key !== '' ? key : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};
