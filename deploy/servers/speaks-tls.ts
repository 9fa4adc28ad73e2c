// Whether a port speaks TLS, for errors: clients tell little of a server that speaks TLS to one that asks without, and
// the other way round.
import { connect } from 'node:tls';

const PATIENCE_MS = 3_000;

/** False where it takes connections and answers a handshake with something else, null where nobody answers. */
export const speaksTls = (host: string, port: number): Promise<boolean | null> =>
  new Promise((resolve) => {
    let isThere = false;
    // Nothing is sent but the handshake, and whose certificate it is does not matter.
    const socket = connect({ host, port, rejectUnauthorized: false });
    const done = (speaks: boolean | null): void => {
      resolve(speaks);
      socket.destroy();
    };
    socket.once('connect', () => {
      isThere = true;
    });
    socket.once('secureConnect', () => done(true));
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => done(isThere ? /ALERT/.test(code) : null));
    socket.setTimeout(PATIENCE_MS, () => done(null));
  });
