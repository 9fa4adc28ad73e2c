// API keys by endpoint, and options of fetch for endpoints that take long. The keys are in `keys.json` in the data
// directory (mode 0600), which the command line writes. They are read again for every call, so that a replaced key
// works at once, and never enter settings, history, database or logs.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientOptions } from 'openai';
import { Agent, EnvHttpProxyAgent, fetch } from 'undici';

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

// How endpoints are reached. Node's own fetch gives up on an answer that has not begun after 300 s, whatever time-out
// the `openai` package is given; here only the request's time-out says how long a call may take.
const PATIENT = { headersTimeout: 0, bodyTimeout: 0 };

/** One for all clients of a process, so that connections are used again. A proxy is used where Node would use one. */
const dispatcher = process.env.NODE_USE_ENV_PROXY === '1' ? new EnvHttpProxyAgent(PATIENT) : new Agent(PATIENT);

/** Options of the `openai` package. Dispatcher and fetch are of the same undici: others need not fit together. */
export const patientFetch: Pick<ClientOptions, 'fetch' | 'fetchOptions'> = {
  fetch: fetch as unknown as NonNullable<ClientOptions['fetch']>,
  fetchOptions: { dispatcher },
};
