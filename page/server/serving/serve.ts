// From Node's HTTP server to `app.fetch` and back.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Hono } from 'hono';
import { plainHttp } from '../../../deploy/host/plain-http.ts';
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

const give = async ({ status, headers, body }: Answer, outgoing: ServerResponse): Promise<void> => {
  outgoing.on('error', () => undefined);
  const cookies = headers.getSetCookie();
  for (const [name, value] of headers) if (name !== 'set-cookie') outgoing.setHeader(name, value);
  if (cookies.length > 0) outgoing.setHeader('set-cookie', cookies);
  outgoing.statusCode = status;
  if (body === null) outgoing.end();
  else if (body instanceof Uint8Array) outgoing.setHeader('content-length', body.length).end(body);
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
    await give((await app.fetch(new SmallRequest(incoming) as unknown as Request)) as Answer, outgoing);
  } catch (error) {
    if (outgoing.headersSent) outgoing.destroy();
    else refuse(outgoing, 500, `the server of this page met a fault: ${(error as Error).message}`);
  }
};

export const serverOf = (app: Hono): Server =>
  plainHttp.createServer((incoming, outgoing) => void answer(app, incoming, outgoing));
