// What Hono needs of a browser's Headers, Request and Response. Node's own are made by undici, which takes 12 MB of
// memory as soon as one of them is used; the process of the page takes these instead.
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

type Pairs = Iterable<readonly [string, string]>;
type HeadersGiven = SmallHeaders | Pairs | { readonly [name: string]: string };

export class SmallHeaders {
  readonly #values = new Map<string, string[]>();

  constructor(given: HeadersGiven = {}) {
    const pairs = Symbol.iterator in given ? given : Object.entries(given);
    for (const [name, value] of pairs) this.append(name, value);
  }
  append(name: string, value: string): void {
    const values = this.#values.get(name.toLowerCase());
    if (values === undefined) this.set(name, value);
    else values.push(String(value));
  }
  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), [String(value)]);
  }
  get(name: string): string | null {
    return this.#values.get(name.toLowerCase())?.join(', ') ?? null;
  }
  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }
  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }
  forEach(each: (value: string, name: string) => void): void {
    for (const [name, value] of this) each(value, name);
  }
  *entries(): Generator<[string, string]> {
    for (const [name, values] of this.#values) yield [name, values.join(', ')];
  }
  [Symbol.iterator](): Generator<[string, string]> {
    return this.entries();
  }
}

export type Body = Uint8Array | ReadableStream<Uint8Array> | null;
type BodyGiven = Body | string | ArrayBuffer | undefined;
type Init = { readonly status?: number | undefined; readonly headers?: HeadersGiven | undefined };

const PLAIN = 'text/plain;charset=UTF-8';

export class SmallResponse {
  readonly status: number;
  readonly headers: SmallHeaders;
  /** Nothing reads a stream but who sends it. */
  readonly bodyUsed = false;
  readonly body: Body;

  constructor(given?: BodyGiven, { status = 200, headers }: Init = {}) {
    this.status = status;
    this.headers = new SmallHeaders(headers);
    if (typeof given === 'string' && !this.headers.has('content-type')) this.headers.set('content-type', PLAIN);
    this.body =
      typeof given === 'string'
        ? Buffer.from(given)
        : given instanceof ArrayBuffer
          ? new Uint8Array(given)
          : (given ?? null);
  }
  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }
  async arrayBuffer(): Promise<ArrayBuffer | Uint8Array> {
    if (this.body === null) return new ArrayBuffer(0);
    if (this.body instanceof Uint8Array) return this.body;
    throw new TypeError('expected an answer in one piece, got a stream');
  }
}

/** A request whose body is read when it is asked for, or one of the server itself, by its address. */
export class SmallRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: SmallHeaders;
  /** Whether there is one is all that is asked of it. */
  readonly body: IncomingMessage | null;

  constructor(incoming: IncomingMessage | string) {
    if (typeof incoming === 'string') {
      [this.method, this.url, this.headers, this.body] = ['GET', incoming, new SmallHeaders(), null];
      return;
    }
    this.method = incoming.method ?? 'GET';
    // Only the path counts: whom the request is for stands in its header.
    this.url = `http://page${incoming.url ?? '/'}`;
    const pairs: [string, string][] = [];
    for (const [name, values = []] of Object.entries(incoming.headersDistinct))
      for (const value of values) pairs.push([name, value]);
    this.headers = new SmallHeaders(pairs);
    this.body = this.method === 'GET' || this.method === 'HEAD' ? null : incoming;
  }
  text(): Promise<string> {
    return this.body === null ? Promise.resolve('') : text(this.body);
  }
}

/**
 * For the process of the page alone, before the first request. They are assigned, because defining a property anew makes
 * Node's own first.
 */
export const takeSmallWeb = (): void => {
  Object.assign(globalThis, { Headers: SmallHeaders, Request: SmallRequest, Response: SmallResponse });
};
