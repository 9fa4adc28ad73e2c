// The one way in which endpoints are reached. An answer is read with limits on its bytes, decoded strictly, and handed
// on with the few headers that mean something; it cannot send the request, and with it the key, to another host.
import { Agent, EnvHttpProxyAgent, fetch, type RequestInit, Response } from 'undici';
import { beginning, guardedEvents, wholeText } from './body.ts';
import { lasting, passing } from './model-error.ts';

// Node's own fetch gives up on an answer that has not begun after 300 s, whatever time-out the `openai` package is
// given; here only the request's time-out says how long a call may take.
const PATIENT = { headersTimeout: 0, bodyTimeout: 0 };

/** One for all clients of a process, so that connections are used again. A proxy is used where Node would use one. */
const dispatcher = process.env.NODE_USE_ENV_PROXY === '1' ? new EnvHttpProxyAgent(PATIENT) : new Agent(PATIENT);

/** Bytes, after decompression. */
type Limits = {
  /** Of an answer that comes as a whole. */
  readonly bodyBytes: number;
  /** Of a streamed answer. Each of its tokens comes in some hundred bytes. */
  readonly streamBytes: number;
  /** Lists and mappings in an answer that comes as a whole. */
  readonly lists: number;
};

const MIB = 1024 * 1024;

/** What an honest answer of so many tokens may need, several times over. */
export const limitsFor = (tokens: number): Limits => ({
  bodyBytes: Math.min(Math.max(8 * MIB, 16 * tokens), 32 * MIB),
  streamBytes: Math.min(Math.max(8 * MIB, 1024 * tokens), 256 * MIB),
  lists: FEW_LISTS,
});

const FEW_LISTS = 200_000;

/**
 * The same where each token comes with its id and its logprob: about 150 bytes and four lists and mappings of vLLM and
 * of SGLang.
 */
export const limitsWithTokens = (tokens: number): Limits => ({
  ...limitsFor(tokens),
  bodyBytes: Math.min(8 * MIB + 512 * tokens, 128 * MIB),
  lists: FEW_LISTS + 6 * tokens,
});

/** Of an answer that refuses, which is an error message or the page of a proxy. */
const ERROR_BYTES = 64 * 1024;
const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

type Wanted = Limits & {
  /** Whether an answer in events is handed on as it comes. */
  readonly stream: boolean;
};

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Fetch for one request. Rejects with ModelError where the answer is of no use whatever its text says, and with what
 * undici throws where none came.
 */
export const endpointFetch =
  (wanted: Wanted): Fetch =>
  async (url, init) => {
    let at = new URL(String(url));
    for (let redirects = 0; ; redirects++) {
      const answer = await fetch(at.href, { ...init, redirect: 'manual', dispatcher });
      if (!REDIRECTS.has(answer.status)) return read(answer, wanted);
      await answer.body?.cancel().catch(() => undefined);
      at = nextPlace(at, answer, init?.method ?? 'GET', redirects);
    }
  };

/** Where a redirect leads. Throws unless it stays at this endpoint and keeps the request as it is. */
const nextPlace = (from: URL, { status, headers }: Response, method: string, before: number): URL => {
  const location = headers.get('location') ?? '';
  const next = URL.canParse(location, from.href) ? new URL(location, from) : null;
  if (next === null) throw lasting(`it answered ${status}, a redirect to no address`, status);
  if (next.origin !== from.origin)
    throw lasting(
      `it answered ${status}, a redirect to ${next.protocol}//${next.host}, which is another endpoint: neither prompt nor key is sent there; if it is meant, set baseUrl to it`,
      status,
    );
  if (before >= MAX_REDIRECTS) throw lasting(`it redirects in a circle (${status})`, status);
  if (method !== 'GET' && status < 307)
    throw lasting(
      `it answered ${status}, a redirect that drops the request: set baseUrl to the address it leads to`,
      status,
    );
  return next;
};

/** Headers that anybody reads. All others stay behind, because any of them can repeat the key. */
const KEPT = ['retry-after', 'retry-after-ms'];

const read = async (answer: Response, { stream, bodyBytes, streamBytes, lists }: Wanted): Promise<Response> => {
  const { status, body } = answer;
  const headers = Object.fromEntries(
    KEPT.flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
  if (status < 200 || status > 599) {
    await body?.cancel().catch(() => undefined);
    throw passing(`it answered with status ${status}, which HTTP does not know`, status);
  }
  if (status >= 300) {
    const text = body === null || status === 304 ? null : await beginning(body, ERROR_BYTES);
    return new Response(text, { status, headers: { ...headers, 'content-type': 'text/plain' } });
  }
  if (body === null || status === 204 || status === 205) throw passing(`it answered ${status}, with no text`, status);
  // Some proxies leave the type of a stream out, or name it plain text. A whole answer says that it is JSON.
  if (stream && !/json|html/i.test(answer.headers.get('content-type') ?? ''))
    return new Response(guardedEvents(body, { totalBytes: streamBytes, eventBytes: bodyBytes }), {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
    });
  const text = await wholeText(body, bodyBytes, lists);
  return new Response(text, { status: 200, headers: { ...headers, 'content-type': 'application/json' } });
};
