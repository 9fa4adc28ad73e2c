// A page's side of its server: questions with their answers, the session that stands for a token, and news over one
// connection a topic. A page that nobody sees follows nothing but what it was asked to tell of: a browser opens few
// connections to a server, and many pages in the background would use them up.
import { askingOf } from '../../api/actions/actions.ts';
import type { ColumnSet } from '../../api/rows/columns.ts';
import type { LiveEvent, Refused, Session, Site } from '../../api/site/live.ts';
import { remember, remembered } from './save.ts';
import { type Source, SourceError, TokenWanted } from './source.ts';

/** The session is kept where only this origin, port included, finds it, and holds for all windows of this path. */
const sessionKey = (): string => `evolve-session${location.pathname.slice(1)}`;

const FRAMED = 'This page only shows here, within another one: opened by itself, it acts.';
const SERVER_AWAY = 'The server of this page does not answer. `npx evolve up` starts it where it is down.';

/** The first header tells the server that its own page asks; without it no action is taken. */
const ourHeaders = (): Readonly<Record<string, string>> => {
  const session = remembered(sessionKey());
  return { 'x-evolve-page': '1', ...(session === null ? {} : { authorization: `Bearer ${session}` }) };
};

/** The whole lines of an answer, as they come. */
async function* linesOf({ body }: Response): AsyncGenerator<string> {
  let rest = '';
  for await (const part of body!.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
  let response: Response;
  try {
    response = await fetch(`api/v1/${path}`, {
      ...init,
      headers: { ...ourHeaders(), ...init.headers },
    });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new SourceError('away', SERVER_AWAY);
  }
  if (response.ok) return response;
  const refusal = (await response.json().catch(() => null)) as Refused | null;
  const message = refusal?.error.message ?? `The server answered with ${response.status}.`;
  const isToken = path === 'session';
  if (response.status === 401) throw new TokenWanted(message, isToken ? 'This is not the token of this server.' : null);
  if (response.status === 429 && isToken) throw new TokenWanted(message, `This server says: ${message}.`);
  throw new SourceError(refusal?.error.kind ?? 'away', message);
};

const askJson = async <T>(path: string, init?: RequestInit): Promise<T> =>
  (await (await ask(path, init)).json()) as Promise<T>;

/**
 * The token comes once, behind `#`, which is sent to no server, and leaves the address bar; a session stands for it
 * then. Whoever types it behind the address of an open page begins anew, so that it leaves the address there too.
 */
const exchangeToken = async (): Promise<void> => {
  addEventListener('hashchange', () => {
    if (location.hash.startsWith('#token=')) location.reload();
  });
  const token = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  history.replaceState(null, '', location.pathname);
  const headers = { authorization: `Bearer ${decodeURIComponent(token)}` };
  remember(sessionKey(), (await askJson<Session>('session', { method: 'POST', headers })).session);
};

/** A page of the server. */
export const serverSource = async (): Promise<Source> => {
  await exchangeToken();
  const given = await askJson<Site>('site');
  // Another page could lay itself over the buttons of this one.
  const site = window.top === window ? given : { ...given, readOnly: given.readOnly ?? FRAMED };
  return {
    site,
    json: async (path, signal) => askJson(path, signal ? { signal } : {}),
    bytes: async (path, signal) => (await ask(path, signal ? { signal } : {})).arrayBuffer(),
    async lines<T>(path: string, onLine: (value: T) => void, signal?: AbortSignal) {
      for await (const line of linesOf(await ask(path, signal ? { signal } : {})))
        if (line !== '') onLine(JSON.parse(line) as T);
    },
    follow: followServer,
    async act(verb, asked) {
      const { path, body } = askingOf(verb, asked);
      const headers = { 'content-type': 'application/json' };
      return askJson(path, { method: 'POST', headers, body: JSON.stringify(body) });
    },
  };
};

type Listener = (event: LiveEvent) => void;

const AGAIN_MS = 2_000;
/** Views that come and go at the same time want their rows in one connection. */
const TOGETHER_MS = 50;
/** Before each event in a line of its own. */
const DATA = 'data: ';

type Connection = { readonly control: AbortController; readonly wants: readonly ColumnSet[] };

class Topic {
  readonly #run: string | null;
  readonly #listeners = new Map<Listener, readonly ColumnSet[]>();
  readonly #evenHidden = new Set<Listener>();
  #connection: Connection | null = null;
  #lost = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #checking: ReturnType<typeof setTimeout> | undefined;

  constructor(run: string | null) {
    this.#run = run;
  }

  add(on: Listener, wants: readonly ColumnSet[], evenHidden: boolean): () => void {
    // The same function may follow twice.
    const listener: Listener = (event) => on(event);
    this.#listeners.set(listener, wants);
    if (evenHidden) this.#evenHidden.add(listener);
    if (this.#listeners.size === 1) {
      document.addEventListener('visibilitychange', this.#look);
      // The sets of those that begin to follow in this turn are named in the same question.
      this.#timer = setTimeout(this.#look);
    } else this.#checkWants();
    return () => {
      this.#listeners.delete(listener);
      this.#evenHidden.delete(listener);
      if (this.#listeners.size > 0) return;
      document.removeEventListener('visibilitychange', this.#look);
      this.#close();
    };
  }

  readonly #look = (): void => {
    const hidden = document.hidden && this.#evenHidden.size === 0;
    if (hidden && this.#connection !== null) {
      this.#close();
      // Whatever happens meanwhile is asked for when somebody looks again.
      this.#lost = true;
    } else if (!hidden && this.#connection === null) this.#open();
  };

  #wants(): readonly ColumnSet[] {
    return [...new Set([...this.#listeners.values()].flat())].sort();
  }

  #open(): void {
    const [control, wants] = [new AbortController(), this.#wants()];
    this.#connection = { control, wants };
    const ended = (): void => {
      if (control.signal.aborted) return;
      if (!this.#lost) this.#tell({ kind: 'away', why: SERVER_AWAY });
      this.#lost = true;
      this.#close();
      this.#timer = setTimeout(this.#look, AGAIN_MS);
    };
    const query = new URLSearchParams(this.#run === null ? {} : { run: this.#run, with: wants.join() });
    void this.#read(`live?${query.toString()}`, control.signal).then(ended, ended);
  }

  /** Until the connection ends. A browser's EventSource would do this, but can send no header. */
  async #read(path: string, signal: AbortSignal): Promise<void> {
    const response = await ask(path, { signal });
    if (this.#lost) this.#tell({ kind: 'back' });
    this.#lost = false;
    for await (const line of linesOf(response))
      if (line.startsWith(DATA)) this.#tell(JSON.parse(line.slice(DATA.length)) as LiveEvent);
  }

  /** A connection without a set that somebody wants now gives way to one with it. */
  #checkWants(): void {
    clearTimeout(this.#checking);
    this.#checking = setTimeout(() => {
      const connection = this.#connection;
      if (connection === null || this.#wants().every((set) => connection.wants.includes(set))) return;
      this.#close();
      this.#open();
    }, TOGETHER_MS);
  }

  #close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#checking);
    this.#connection?.control.abort();
    this.#connection = null;
  }

  #tell(event: LiveEvent): void {
    for (const listener of [...this.#listeners.keys()]) listener(event);
  }
}

const topics = new Map<string | null, Topic>();

/** Follows until the returned function is called. `wants` are the sets whose new rows come with the news. */
export const followServer = (
  run: string | null,
  listener: Listener,
  wants: readonly ColumnSet[] = [],
  evenHidden = false,
): (() => void) => {
  const topic = topics.get(run) ?? new Topic(run);
  topics.set(run, topic);
  return topic.add(listener, wants, evenHidden);
};
