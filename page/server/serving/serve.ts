// From Node's HTTP server to `app.fetch` and back.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Hono } from 'hono';
import { plainHttp } from '../../../deploy/host/plain-http.ts';
import { FairLimit } from '../access/fair-limit.ts';
import { type Connected, networkOf } from '../access/visitor.ts';
import { type Pieces, PieceStream } from './pieces.ts';
import { SmallRequest } from './small-web.ts';

type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array> | Uint8Array | null;
};

/** Sends what comes as fast as it is taken, and ends the stream when the reader has gone. */
const send = async (stream: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> => {
  const reader = stream.getReader();
  const gone = (): void => void reader.cancel().catch(() => undefined);
  if (outgoing.destroyed) return gone();
  outgoing.on('close', gone);
  outgoing.flushHeaders();
  for (;;) {
    const { value, done } = await reader.read();
    if (done || outgoing.destroyed) break;
    if (!outgoing.write(value))
      await new Promise<void>((go) => {
        const on = (): void => {
          outgoing.off('drain', on).off('close', on);
          go();
        };
        outgoing.on('drain', on).on('close', on);
      });
  }
  outgoing.end();
};

/** The same of pieces that come for a long time. */
const sendPieces = ({ take, whenMore, end, isOver }: Pieces, outgoing: ServerResponse): void => {
  if (outgoing.destroyed) return end();
  let isFull = false;
  const flow = (): void => {
    if (isFull || outgoing.destroyed) return;
    const bytes = take();
    if (bytes === null) return void (isOver() && outgoing.end());
    if (outgoing.write(bytes)) return;
    isFull = true;
    outgoing.once('drain', () => {
      isFull = false;
      flow();
    });
  };
  outgoing.once('close', end);
  outgoing.flushHeaders();
  whenMore(flow);
  flow();
};

const give = async ({ status, headers, body }: Answer, outgoing: ServerResponse): Promise<void> => {
  outgoing.on('error', () => undefined);
  for (const [name, value] of headers) outgoing.setHeader(name, value);
  outgoing.statusCode = status;
  if (body === null) outgoing.end();
  else if (body instanceof Uint8Array) outgoing.setHeader('content-length', body.length).end(body);
  else if (body instanceof PieceStream) sendPieces(body.pieces, outgoing);
  else await send(body, outgoing);
};

const refuse = (outgoing: ServerResponse, status: number, message: string): void => {
  outgoing.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  outgoing.end(JSON.stringify({ error: { kind: 'refused', message } }));
};

const answer = async (app: Hono, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
  if (!incoming.url?.startsWith('/')) return refuse(outgoing, 400, 'expected a path that begins with /');
  // So that a body is known to be too large before it is read.
  if (incoming.headers['transfer-encoding'] !== undefined)
    return refuse(outgoing, 411, 'expected the header content-length, got a body of unknown length');
  try {
    const connected: Connected = {
      address: incoming.socket.remoteAddress,
      whenGone: (then) => void outgoing.once('close', then),
    };
    await give((await app.fetch(new SmallRequest(incoming) as unknown as Request, connected)) as Answer, outgoing);
  } catch (error) {
    if (outgoing.headersSent) outgoing.destroy();
    else refuse(outgoing, 500, `the server of this page met a fault: ${(error as Error).message}`);
  }
};

/** Who sends slowly, takes nothing of what is sent, or opens connections without end would keep others out. */
type Patience = { readonly headers: number; readonly request: number; readonly unread: number };
const PATIENCE_MS: Patience = { headers: 10_000, request: 60_000, unread: 30_000 };
/** Ten people who look have about 70. */
const MOST_CONNECTIONS = 600;

type Limits = { readonly patience?: Patience; readonly mostConnections?: number };

export const serverOf = (
  app: Hono,
  { patience = PATIENCE_MS, mostConnections = MOST_CONNECTIONS }: Limits = {},
): Server => {
  const server = plainHttp.createServer((incoming, outgoing) => void answer(app, incoming, outgoing));
  server.headersTimeout = patience.headers;
  server.requestTimeout = patience.request;
  const connections = new FairLimit(mostConnections);
  server.on('connection', (socket) => {
    const holder = { address: networkOf(socket.remoteAddress ?? ''), session: '' };
    const giveBack = connections.take(holder, () => socket.destroy());
    if (giveBack === null) socket.destroy();
    else socket.once('close', giveBack);
  });
  // A connection on which nothing moves may wait for an answer that takes long; one with unread bytes waits for nothing.
  server.setTimeout(patience.unread, (socket) => {
    if (socket.writableLength > 0) socket.destroy();
  });
  return server;
};
