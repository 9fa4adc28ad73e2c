// A Temporal server made up: it speaks gRPC over HTTP/2 on loopback, and a test says what each method answers, and
// when.
import { createServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** `code`: gRPC's; 0 with the bytes of the answer. */
export type GrpcAnswer = {
  readonly code: number;
  readonly message?: string;
  readonly body?: Uint8Array;
  readonly afterMs?: number;
};
export type GrpcServer = {
  readonly port: number;
  readonly address: string;
  /** Names of the methods asked, in order. */ readonly asked: readonly string[];
  /** Of those that the caller gave up. */ readonly givenUp: readonly string[];
};

const HEALTHY = Uint8Array.of(0x08, 1);

/** Until the end of the test. Health is SERVING and the server's own facts are empty unless `answer` says otherwise. */
export const grpcServer = async (answer: (method: string) => GrpcAnswer | null = () => null): Promise<GrpcServer> => {
  const [asked, givenUp]: [string[], string[]] = [[], []];
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session)).on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    const method = String(headers[':path']).split('/').at(-1) ?? '';
    asked.push(method);
    const {
      code,
      message = '',
      body = new Uint8Array(),
      afterMs = 0,
    } = answer(method) ?? { code: 0, body: method === 'Check' ? HEALTHY : new Uint8Array() };
    stream.on('error', () => undefined);
    stream.resume();
    const timer = setTimeout(() => {
      if (stream.destroyed) return;
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': String(code), 'grpc-message': message }));
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      const frame = Buffer.alloc(5);
      frame.writeUInt32BE(body.length, 1);
      stream.end(code === 0 ? Buffer.concat([frame, body]) : undefined);
    }, afterMs);
    stream.on('close', () => {
      clearTimeout(timer);
      if (!stream.headersSent) givenUp.push(method);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const session of sessions) session.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { port, address: `127.0.0.1:${port}`, asked, givenUp };
};
