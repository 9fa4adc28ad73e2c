// The workflow engine by the HTTP interface of its UI, so that the page's server needs no client of the engine.
import type { TemporalUi } from '../../../client/connect/connection.ts';

const ANSWER_MS = 3_000;

export type Encoded = { readonly data?: string };

/** Undefined for what is encrypted. */
export const decoded = ({ data = '' }: Encoded): unknown => {
  try {
    return JSON.parse(Buffer.from(data, 'base64').toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
};

export type EngineHttp = {
  /** What is below the workflows of the namespace; null for what is not there. Throws where no UI answers. */
  readonly get: (path: string) => Promise<unknown>;
  /** The answer of a workflow to a query; null where it gives none. */
  readonly query: <T>(workflow: string, name: string) => Promise<T | null>;
};

type Answered = { readonly queryResult?: { readonly payloads?: readonly Encoded[] } };

export const engineHttp = (ui: () => TemporalUi | null): EngineHttp => {
  /** The UI takes a request that may change something only with the token of its cookie. A query changes nothing. */
  let token = '';
  const get = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const known = ui();
    if (known === null) throw new Error('no address of its UI is known');
    const base = `${known.base.replace(/\/+$/, '')}/api/v1/namespaces/${encodeURIComponent(known.namespace)}/workflows`;
    const response = await fetch(`${base}${path}`, {
      ...init,
      signal: AbortSignal.timeout(ANSWER_MS),
      headers: { accept: 'application/json', ...init.headers },
      redirect: 'error',
    });
    token = /_csrf=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? token;
    if (response.ok) return response.json();
    await response.body?.cancel();
    if (response.status === 404) return null;
    throw new Error(`its UI answered with ${response.status}`);
  };
  return {
    get,
    async query(workflow, name) {
      const headers = { 'content-type': 'application/json', cookie: `_csrf=${token}`, 'x-csrf-token': token };
      const path = `/${encodeURIComponent(workflow)}/query/${name}`;
      const answer = get(path, { method: 'POST', headers, body: '{}' }) as Promise<Answered | null>;
      const [payload] = (await answer.catch(() => null))?.queryResult?.payloads ?? [];
      return payload === undefined ? null : ((decoded(payload) ?? null) as never);
    },
  };
};
