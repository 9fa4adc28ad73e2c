// The gate of the server. Without a token only this machine may ask, under a name of its own: a page in a browser whose
// name was made to mean 127.0.0.1 is refused (DNS rebinding). With one, it is shown once, for a session that the page
// keeps and sends as a header: browsers send cookies to every port of a host, and so to servers of other users of the
// machine. Pages of other origins are refused in both cases, and not only kept from reading.
import type { Context, MiddlewareHandler } from 'hono';
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { isForLoopback } from '../../../deploy/host/loopback.ts';
import { refuse } from '../site/refusal.ts';
import { visitorOf } from './visitor.ts';
import type { WrongTokens } from './wrong-tokens.ts';

export type Access = {
  /** Null where everybody on this machine may ask. */
  readonly token: string | null;
  /** Why actions are refused; null where they are not. */
  readonly readOnly: string | null;
  /** The origin of a site that may frame the page, beside those of this machine. */
  readonly frame?: string;
};

/** Everything that is no file of the page stands below it. */
export const API = '/api/v1';
/** A page of another origin can send a request, but not with this header. */
const OURS = 'x-evolve-page';
const RUN = /^[a-z0-9-]{1,60}$/;

const same = (given: string, expected: string): boolean =>
  timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));

/** So long nobody who has shown the token is asked for it again. */
const SESSION_MS = 7 * 86_400_000;

/** The stand-in of the token until this moment, from which the token cannot be told. */
const sessionUntil = (token: string, endMs: number): string =>
  `${endMs}.${createHmac('sha256', token).update(`a page of this server until ${endMs}`).digest('hex')}`;

const SESSION = /^(\d{13,15})\.[0-9a-f]{64}$/;

const isSession = (given: string, token: string): boolean => {
  const endMs = Number(SESSION.exec(given)?.[1] ?? 0);
  return Date.now() < endMs && same(given, sessionUntil(token, endMs));
};

const bearerIn = (c: Context): string => /^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? '';

/** The token itself was shown. Throws where too many wrong ones came from this visitor. */
const isToken = (c: Context, token: string, wrong: WrongTokens): boolean => {
  const given = bearerIn(c);
  // A session that has ended is no guess, and comes again and again from pages that are still open.
  if (given === '' || SESSION.test(given)) return same(given, token);
  const visitor = visitorOf(c);
  const seconds = wrong.waitSeconds(visitor);
  if (seconds > 0) refuse(`too many wrong tokens came from your address: try again in ${seconds} s`, 429);
  if (same(given, token)) return true;
  wrong.note(visitor);
  return false;
};

/**
 * A proxy may leave the port out of the header Host. The name alone counts then where a token is asked for: a page of
 * another port of this name has no session.
 */
const isOwn = (origin: URL | null, host: string, token: string | null): boolean =>
  origin !== null && (origin.host === host || (token !== null && origin.hostname === host));

const requireOwnOrigin = (c: Context, token: string | null): void => {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    refuse('expected a request of this page itself, got one of another site', 403);
  const origin = c.req.header('origin');
  if (origin === undefined) return;
  if (!isOwn(URL.parse(origin), c.req.header('host') ?? '', token))
    refuse('expected a request of this page itself, got one of another origin', 403);
};

const PROXY_HEADERS = ['x-forwarded-for', 'x-forwarded-host', 'forwarded'];

/** For every address of this server. */
export const hostGate =
  ({ token }: Access): MiddlewareHandler =>
  async (c, next) => {
    if (token === null && !isForLoopback(c.req.header('host')))
      refuse(
        'expected 127.0.0.1 or localhost in the header Host, got another name: other names need a --token-file',
        403,
      );
    // A proxy on this machine may send the name of this machine, and passes on what others ask.
    if (token === null && PROXY_HEADERS.some((name) => c.req.header(name) !== undefined))
      refuse(
        'expected a request of this machine, got one that a proxy passes on: pages for others need a --token-file',
        403,
      );
    await next();
  };

const WANTS_TOKEN =
  'expected the token of this server: in a browser #token=<token> behind its address, else the header Authorization: Bearer <token>';

/** For everything below `API`. */
export const apiGate =
  ({ token, readOnly }: Access, wrong: WrongTokens): MiddlewareHandler =>
  async (c, next) => {
    requireOwnOrigin(c, token);
    const path = c.req.path.slice(API.length);
    // A token cannot be sent by such a page either.
    if (c.req.header(OURS) === undefined && bearerIn(c) === '')
      refuse(token === null ? `expected the header ${OURS}, with any value` : WANTS_TOKEN, 403);
    if (token !== null && path !== '/session' && !isSession(bearerIn(c), token) && !isToken(c, token, wrong))
      refuse(WANTS_TOKEN, 401);
    const run = /^\/runs\/([^/]+)/.exec(path)?.[1];
    if (run !== undefined && !RUN.test(run))
      refuse('expected the id of a run: 1 to 60 of the characters a-z, 0-9 and -');
    // HEAD too: the body of its answer, which nobody would read, may be one that ends only when its reader goes.
    if (c.req.method !== 'GET' && c.req.method !== 'POST') refuse('expected GET or POST, got another method', 405);
    if (c.req.method === 'POST' && path !== '/session' && readOnly !== null) refuse(readOnly, 403);
    await next();
  };

/** POST session: the token once, for what stands for it for a week. */
export const openSession =
  ({ token }: Access, wrong: WrongTokens) =>
  (c: Context): Response => {
    if (token === null) return c.json({ session: null });
    if (!isToken(c, token, wrong)) refuse('expected the token of this server, got another', 401);
    return c.json({ session: sessionUntil(token, Date.now() + SESSION_MS) });
  };
