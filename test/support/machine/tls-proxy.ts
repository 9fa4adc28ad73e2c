// A TLS door before a Temporal server of a test: it shows a certificate of a made authority, wants one of the client's
// from the same, and lets nobody in without the API key. Behind it the server speaks plain text, as behind a real proxy.
import { readFileSync } from 'node:fs';
import { connect, createSecureServer, type ClientHttp2Session, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

export const tlsFile = (name: string): string => fileURLToPath(new URL(`../../fixtures/tls/${name}`, import.meta.url));
const UNAUTHENTICATED = '16';

export type TlsProxy = {
  /** The certificate is for the name `temporal.example`, which this address is not. */
  readonly address: string;
  /** Namespaces that calls named in their headers. */
  readonly namespaces: ReadonlySet<string>;
  close(): Promise<void>;
};

export const startTlsProxy = async (to: string, apiKey: string): Promise<TlsProxy> => {
  const namespaces = new Set<string>();
  const sessions = new Set<ServerHttp2Session | ClientHttp2Session>();
  const kept = <T extends ServerHttp2Session | ClientHttp2Session>(session: T): T => {
    sessions.add(session);
    session.on('error', () => undefined).on('close', () => sessions.delete(session));
    return session;
  };
  const read = (name: string): Buffer => readFileSync(tlsFile(name));
  const server = createSecureServer({
    key: read('server-key.pem'),
    cert: read('server.pem'),
    ca: read('authority.pem'),
    requestCert: true,
    rejectUnauthorized: true,
  });
  server.on('tlsClientError', () => undefined);
  server.on('session', (session) => {
    const behind = kept(connect(`http://${to}`));
    kept(session).on('close', () => behind.close());
    session.on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      if (headers['authorization'] !== `Bearer ${apiKey}`) {
        stream.respond(
          {
            ':status': 200,
            'content-type': 'application/grpc',
            'grpc-status': UNAUTHENTICATED,
            'grpc-message': 'no such key',
          },
          { endStream: true },
        );
        return;
      }
      if (headers['temporal-namespace'] !== undefined) namespaces.add(String(headers['temporal-namespace']));
      const { ':authority': _authority, ...passed } = headers;
      const call = behind.request({ ...passed, ':scheme': 'http', ':authority': to });
      let trailers: object = {};
      call.on('response', (answer) => {
        if (!stream.destroyed) stream.respond(answer, { waitForTrailers: true });
      });
      call.on('trailers', (given) => (trailers = given));
      stream.on('wantTrailers', () => stream.sendTrailers({ ...trailers }));
      call.on('error', () => stream.close());
      stream.on('close', () => call.close());
      stream.pipe(call);
      call.pipe(stream);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    namespaces,
    async close() {
      for (const session of sessions) session.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
};
