// Pages that look at the same thing ask the same at the same time. Such answers are made once and given to all, and are
// kept as long as nobody sees a difference.
import type { MiddlewareHandler } from 'hono';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const zipped = promisify((bytes: Uint8Array, done: (error: Error | null, made: Buffer) => void) =>
  gzip(bytes, { level: 5 }, done),
);

const KEPT_MS = 450;
const MOST_BYTES = 8 * 2 ** 20;
/** Fewer bytes are not worth the work. */
const LEAST_ZIPPED = 2_048;

type Made = {
  readonly status: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly zipped: Uint8Array<ArrayBuffer> | null;
};

const responseOf = ({ status, bytes, zipped: small }: Made, accepts: boolean): Response =>
  new Response(small !== null && accepts ? small : bytes, {
    status,
    headers: {
      'Content-Type': 'application/json',
      Vary: 'Accept-Encoding',
      ...(small !== null && accepts ? { 'Content-Encoding': 'gzip' } : {}),
    },
  });

/** Everything but JSON goes through as it is. */
export const sharedAnswers = (): MiddlewareHandler => {
  const answers = new Map<string, Promise<Made | null>>();
  let bytesKept = 0;
  const keep = (key: string, { bytes }: Made): void => {
    bytesKept += bytes.length;
    const drop = (): void => {
      if (!answers.delete(key)) return;
      bytesKept -= bytes.length;
    };
    if (bytesKept > MOST_BYTES) drop();
    else setTimeout(drop, KEPT_MS).unref();
  };
  return async (c, next) => {
    if (c.req.method !== 'GET') {
      // An action is to be seen at once.
      await next();
      answers.clear();
      bytesKept = 0;
      return;
    }
    const accepts = /\bgzip\b/.test(c.req.header('accept-encoding') ?? '');
    const key = c.req.url.slice(c.req.url.indexOf('/', 8));
    const known = await answers.get(key);
    if (known) {
      c.res = responseOf(known, accepts);
      return;
    }
    let give: (made: Made | null) => void = () => undefined;
    const promise = new Promise<Made | null>((done) => {
      give = done;
    });
    answers.set(key, promise);
    const forget = (): void => {
      give(null);
      if (answers.get(key) === promise) answers.delete(key);
    };
    let made: Made;
    try {
      await next();
      if (c.res.status !== 200 || !c.res.headers.get('content-type')?.startsWith('application/json')) return forget();
      const bytes = new Uint8Array(await c.res.arrayBuffer());
      made = {
        status: 200,
        bytes,
        zipped: bytes.length < LEAST_ZIPPED ? null : new Uint8Array(await zipped(bytes)),
      };
    } catch (error) {
      forget();
      throw error;
    }
    give(made);
    if (answers.get(key) === promise) keep(key, made);
    c.res = undefined;
    c.res = responseOf(made, accepts);
  };
};
