// Node's HTTP server in front of `app.fetch`, with limits for slow and for too many connections.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { Hono } from 'hono';
import { FairLimit } from './access/fair-limit.ts';
import { type Connected, networkOf } from './access/visitor.ts';

/** The body is read when it is asked for, so a refusal reads none of it. */
const requestOf = (incoming: IncomingMessage): Request => {
  const { method = 'GET', url = '/', headersDistinct } = incoming;
  const pairs = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const body =
    method === 'GET' || method === 'HEAD' ? null : Readable.toWeb(incoming, { strategy: { highWaterMark: 0 } });
  // Only the path counts: the name under which this server was asked stands in a header.
  const init = { method, headers: new Headers(pairs), body, duplex: 'half' };
  return new Request(`http://page${url}`, init as unknown as RequestInit);
};

/** Sends what comes as fast as it is taken, and ends the stream when its reader has gone. */
const send = async ({ status, headers, body }: Response, outgoing: ServerResponse): Promise<void> => {
  outgoing.statusCode = status;
  outgoing.setHeaders(headers);
  if (body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(body as NodeStream), outgoing).catch(() => undefined);
};

const refuse = (outgoing: ServerResponse, status: number, message: string): void => {
  outgoing.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  outgoing.end(JSON.stringify({ error: { kind: 'refused', message } }));
};

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST']);

const answer = async (app: Hono, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
  if (!incoming.url?.startsWith('/')) return refuse(outgoing, 400, 'expected a path that begins with /');
  if (!METHODS.has(incoming.method ?? '')) return refuse(outgoing, 405, 'expected GET or POST, got another method');
  // So that a body is known to be too large before it is read.
  if (incoming.headers['transfer-encoding'] !== undefined)
    return refuse(outgoing, 411, 'expected the header content-length, got a body of unknown length');
  const connected: Connected = {
    address: incoming.socket.remoteAddress,
    whenGone: (then) => void outgoing.once('close', then),
  };
  try {
    await send(await app.fetch(requestOf(incoming), connected), outgoing);
  } catch (error) {
    if (outgoing.headersSent) outgoing.destroy();
    else refuse(outgoing, 500, `the server of this page met a fault: ${(error as Error).message}`);
  }
};

/** A visitor who sends slowly, reads nothing or opens connections without end would keep others out. */
type Patience = { readonly headers: number; readonly request: number; readonly unread: number };
const PATIENCE_MS: Patience = { headers: 10_000, request: 60_000, unread: 30_000 };
/** Ten people who look have about 70. */
const MOST_CONNECTIONS = 600;

type Limits = { readonly patience?: Patience; readonly mostConnections?: number };

export const serverOf = (
  app: Hono,
  { patience = PATIENCE_MS, mostConnections = MOST_CONNECTIONS }: Limits = {},
): Server => {
  const server = createServer((incoming, outgoing) => void answer(app, incoming, outgoing));
  server.headersTimeout = patience.headers;
  server.requestTimeout = patience.request;
  const connections = new FairLimit(mostConnections);
  server.on('connection', (socket) => {
    const holder = { address: networkOf(socket.remoteAddress ?? ''), session: '' };
    const giveBack = connections.take(holder, () => socket.destroy());
    if (giveBack === null) socket.destroy();
    else socket.once('close', giveBack);
  });
  // A connection on which nothing moves may wait for an answer that takes long; one with unread bytes waits for
  // nothing.
  server.setTimeout(patience.unread, (socket) => {
    if (socket.writableLength > 0) socket.destroy();
  });
  return server;
};
