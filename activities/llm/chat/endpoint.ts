// API keys by endpoint, and options of fetch for endpoints that take long. The keys are in `keys.json` in the data
// directory (mode 0600), which the command line writes. They are read again for every call, so that a replaced key
// works at once, and never enter settings, history, database or logs.
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

/**
 * Fetch ends a call whose answer has not begun after 300 s, whatever time-out the `openai` package is given. This is
 * Node's own dispatcher without that limit, so that the request's time-out decides how long a call may take.
 */
type Dispatcher = NonNullable<RequestInit['dispatcher']>;
type DispatcherClass = new (options: { readonly headersTimeout: number; readonly bodyTimeout: number }) => Dispatcher;

/** Where undici keeps the dispatcher that all fetches of the process share, by undici's major version. */
const SHARED = ['undici.globalDispatcher.2', 'undici.globalDispatcher.1'].map((name) => Symbol.for(name));

let own: Dispatcher | null = null;

/**
 * Options of fetch. The dispatcher is of the same class as the shared one, so that a proxy named in the environment
 * serves it too. Where this Node keeps no shared one, there are no options and fetch's own limits hold.
 */
export const patientOptions = (): { readonly dispatcher?: Dispatcher } => {
  own ??= newDispatcher();
  return own === null ? {} : { dispatcher: own };
};

const newDispatcher = (): Dispatcher | null => {
  // Node loads its fetch only when it is first needed.
  void new Response(null);
  const shared = SHARED.map((symbol) => (globalThis as unknown as Record<symbol, object | undefined>)[symbol]).find(
    (one) => one !== undefined,
  );
  return shared === undefined
    ? null
    : new (shared.constructor as DispatcherClass)({ headersTimeout: 0, bodyTimeout: 0 });
};
