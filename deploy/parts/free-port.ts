// Finds a free port for a server that will bind it a moment later. Ports that the system gives to outgoing connections
// are avoided, since any client on the machine could be given the port before the server binds it.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** The first port that is tried. Well-known services lie below it. */
const FIRST = 15_000;
/** The first port for outgoing connections according to IANA, for systems that do not say. */
const IANA_EPHEMERAL = 49_152;
const ATTEMPTS = 200;

/** The port when it can be bound on 127.0.0.1, else null. Port 0 stands for any. */
export const bindable = (port: number): Promise<number | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : null));
    });
  });

const firstEphemeral = (): number => {
  try {
    return Number(/^\d+/.exec(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'))?.[0] ?? IANA_EPHEMERAL);
  } catch {
    return IANA_EPHEMERAL;
  }
};

/**
 * A free port that `accept` takes, or null when none is found. Where outgoing connections may use the whole range, the
 * port is one of theirs.
 */
export const findFreePort = async (accept: (port: number) => boolean = () => true): Promise<number | null> => {
  const span = firstEphemeral() - FIRST;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = await bindable(span > 100 ? FIRST + Math.floor(Math.random() * span) : 0);
    if (port !== null && accept(port)) return port;
  }
  return null;
};
