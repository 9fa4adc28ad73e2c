// The source of a page's answers: the server that it came from, or, for a page that was exported, itself. Views ask
// by path and do not know which it is.
import type { ColumnSet } from '../../api/rows/columns.ts';
import { followServer } from './follow.ts';
import { keepSession, ourHeaders } from './session.ts';
import type { LiveEvent, Refused, Session, Site } from '../../api/site/live.ts';

export class SourceError extends Error {
  readonly kind: 'away' | 'missing' | 'refused';

  constructor(kind: SourceError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The server wants to be shown its token first. `why` says what is wrong with the one that it was shown, if it was. */
export class TokenWanted extends SourceError {
  readonly why: string | null;

  constructor(message: string, why: string | null) {
    super('refused', message);
    this.why = why;
  }
}

export type Source = {
  readonly site: Site;
  /** An answer by its path, such as `runs/demo/report`. Throws SourceError. */
  json<T>(path: string, signal?: AbortSignal): Promise<T>;
  bytes(path: string, signal?: AbortSignal): Promise<ArrayBuffer>;
  /** An answer that comes line by line, one JSON value a line. */
  lines<T>(path: string, onLine: (value: T) => void, signal?: AbortSignal): Promise<void>;
  /**
   * News of one run, or of the list of runs where `run` is null, until the returned function is called. `wants` are the
   * sets whose new rows come with the news; they come to all who follow the run.
   */
  follow(run: string | null, on: (event: LiveEvent) => void, wants?: readonly ColumnSet[]): () => void;
  /** Does what the command of this name does. Throws SourceError with the command's own words. */
  act<T>(verb: string, body: object): Promise<T>;
};

/** A page of the server: the same origin, and the header without which the server takes no action. */
export const serverSource = async (): Promise<Source> => {
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    let response: Response;
    try {
      response = await fetch(`/api/${path}`, { ...init, headers: { ...ourHeaders(), ...init.headers } });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new SourceError(
        'away',
        'The server of this page does not answer. It starts again by itself, or with `npx evolve ui`.',
      );
    }
    if (response.ok) return response;
    const refusal = (await response.json().catch(() => null)) as Refused | null;
    const message = refusal?.error.message ?? `The server answered with ${response.status}.`;
    const isToken = path === 'session';
    if (response.status === 401)
      throw new TokenWanted(message, isToken ? 'This is not the token of this server.' : null);
    if (response.status === 429 && isToken) throw new TokenWanted(message, `This server says: ${message}.`);
    throw new SourceError(refusal?.error.kind ?? 'away', message);
  };
  // The token comes once, behind `#`, which is sent to no server and leaves the address bar; a session stands for it
  // then. Whoever types it behind the address of a page that is open begins anew, so that it leaves the address there
  // too.
  addEventListener('hashchange', () => {
    if (location.hash.startsWith('#token=')) location.reload();
  });
  const token = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (token !== undefined) {
    history.replaceState(null, '', location.pathname);
    const headers = { authorization: `Bearer ${decodeURIComponent(token)}` };
    const { session } = (await (await ask('session', { method: 'POST', headers })).json()) as Session;
    keepSession(session);
  }
  const site = (await (await ask('site')).json()) as Site;
  return {
    site,
    json: async <T>(path: string, signal?: AbortSignal) =>
      (await ask(path, signal ? { signal } : {})).json() as Promise<T>,
    bytes: async (path, signal) => (await ask(path, signal ? { signal } : {})).arrayBuffer(),
    async lines<T>(path: string, onLine: (value: T) => void, signal?: AbortSignal) {
      const body = (await ask(path, signal ? { signal } : {})).body!.pipeThrough(new TextDecoderStream());
      let rest = '';
      for await (const part of body as unknown as AsyncIterable<string>) {
        const whole = (rest + part).split('\n');
        rest = whole.pop() ?? '';
        for (const line of whole) if (line !== '') onLine(JSON.parse(line) as T);
      }
    },
    follow: followServer,
    act: async <T>(verb: string, body: object) =>
      (
        await ask(`actions/${verb}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).json() as Promise<T>,
  };
};
