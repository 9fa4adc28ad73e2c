// Pages that look at the same thing ask the same at the same time. Such answers are made once and given to all, and are
// kept as long as nobody sees a difference.
import type { Context, MiddlewareHandler, Next } from 'hono';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Kept } from '../site/kept.ts';

const zip = promisify(gzip);

const KEPT_MS = 450;
const MOST_ANSWERS = 64;
/** Fewer bytes are not worth the work. */
const LEAST_ZIPPED = 2_048;

type Made = { readonly bytes: Uint8Array<ArrayBuffer>; readonly zipped: Uint8Array<ArrayBuffer> | null };

const responseOf = ({ bytes, zipped }: Made, accepts: boolean): Response => {
  const small = accepts ? zipped : null;
  return new Response(small ?? bytes, {
    headers: {
      'Content-Type': 'application/json',
      Vary: 'Accept-Encoding',
      ...(small === null ? {} : { 'Content-Encoding': 'gzip' }),
    },
  });
};

/** Null for everything but JSON, which goes through as it is. */
const madeBy = async (c: Context, next: Next): Promise<Made | null> => {
  await next();
  if (c.res.status !== 200 || !c.res.headers.get('content-type')?.startsWith('application/json')) return null;
  const bytes = new Uint8Array(await c.res.arrayBuffer());
  return { bytes, zipped: bytes.length < LEAST_ZIPPED ? null : new Uint8Array(await zip(bytes, { level: 5 })) };
};

export const sharedAnswers = (): MiddlewareHandler => {
  const answers = new Kept<Made | null>(MOST_ANSWERS);
  return async (c, next) => {
    if (c.req.method !== 'GET') {
      // An action is to be seen at once.
      await next();
      return answers.clear();
    }
    const key = c.req.url.slice(c.req.url.indexOf('/', 8));
    let isFirst = false;
    const made = await answers.get(key, async () => {
      isFirst = true;
      const answer = await madeBy(c, next);
      setTimeout(() => answers.drop(key), answer === null ? 0 : KEPT_MS).unref();
      return answer;
    });
    if (made === null) return isFirst ? undefined : next();
    c.res = undefined;
    c.res = responseOf(made, /\bgzip\b/.test(c.req.header('accept-encoding') ?? ''));
  };
};
