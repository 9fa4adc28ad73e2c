// API keys, by endpoint: `keys.json` in the data directory, mode 0600, written by the CLI. Read again for every call,
// so that a replaced key works at once; never in settings, history, database or logs.
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

// Fetch gives up on an answer that has not begun after 300 s, whatever time-out the `openai` package is given. This
// is Node's own dispatcher without that limit; how long a call may take is the request's time-out.
type Dispatcher = NonNullable<RequestInit['dispatcher']>;
type DispatcherClass = new (options: { readonly headersTimeout: number; readonly bodyTimeout: number }) => Dispatcher;

/** Where undici keeps the dispatcher that all fetches of the process share, by its major version. */
const SHARED = ['undici.globalDispatcher.2', 'undici.globalDispatcher.1'].map((name) => Symbol.for(name));

let own: Dispatcher | null = null;

/**
 * Options of fetch. The dispatcher is of the same class as the shared one, so that a proxy named in the environment
 * serves it too; without any where this Node keeps none: fetch's own limits hold then.
 */
export const patientOptions = (): { readonly dispatcher?: Dispatcher } => {
  own ??= newDispatcher();
  return own === null ? {} : { dispatcher: own };
};

const newDispatcher = (): Dispatcher | null => {
  // Node loads its fetch when it is first needed.
  void new Response(null);
  const shared = SHARED.map((symbol) => (globalThis as unknown as Record<symbol, object | undefined>)[symbol]).find(
    (one) => one !== undefined,
  );
  return shared === undefined
    ? null
    : new (shared.constructor as DispatcherClass)({ headersTimeout: 0, bodyTimeout: 0 });
};
