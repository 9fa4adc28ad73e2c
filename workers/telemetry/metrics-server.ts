// One port a process: our metrics and those of Temporal's SDK in one answer. The SDK serves its own on a port of this
// machine alone, from which they are taken when somebody asks.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { count } from '../../activities/telemetry/metrics.ts';
import { isForLoopback, isLoopback } from '../../deploy/host/loopback.ts';

export type Address = { readonly host: string; readonly port: number };

export type MetricsServer = { readonly address: Address; close(): void };

const SDK_TIMEOUT_MS = 5_000;

/** The SDK's metrics. Where it does not answer, ours are told without them. */
const fromSdk = async (port: number): Promise<string> => {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(SDK_TIMEOUT_MS) });
    return answer.ok ? (await answer.text()).replace(/^# EOF\n?/m, '') : '';
  } catch {
    return '';
  }
};

const listening = (server: Server, { host, port }: Address): Promise<Address> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new Error(
          `EVOLVE_METRICS: expected an address on which this process can listen, got ${host}:${port} (${error.code ?? error.message}): choose another port, or \`off\``,
          { cause: error },
        ),
      ),
    );
    server.listen({ host, port }, () => resolve({ host, port: (server.address() as AddressInfo).port }));
  });

/** Prometheus waits 10 s for an answer unless it is told otherwise. */
const LOOK_MS = 3_000;

/**
 * Looks up what is only known then. A database that does not answer takes no metric away but those that come from it,
 * and is not asked again before it has answered: that it failed is counted.
 */
export const lookingUp = (
  samples: () => readonly (() => Promise<void>)[],
  limitMs = LOOK_MS,
): (() => Promise<void>) => {
  let looking: Promise<void> | null = null;
  const look = async (): Promise<void> => {
    const failed = (await Promise.allSettled(samples().map((sample) => sample()))).filter(
      ({ status }) => status === 'rejected',
    );
    looking = null;
    if (failed.length > 0) count('lookupsFailed', {});
  };
  return async () => {
    looking ??= look();
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(true), limitMs);
    if (await Promise.race([looking.then(() => false), late])) count('lookupsFailed', {});
    clearTimeout(timer);
  };
};

/** Does it at most once in so long: what it looks up changes seldom, and costs the server more than all other metrics. */
export const seldom = <A extends readonly unknown[]>(
  sample: (...args: A) => Promise<void>,
  everyMs: number,
  now: () => number = () => performance.now(),
): ((...args: A) => Promise<void>) => {
  let doneAtMs = -Infinity;
  return async (...args) => {
    if (now() - doneAtMs < everyMs) return;
    await sample(...args);
    doneAtMs = now();
  };
};

/** Every address that begins with 127 is, and not only the one that has a name. */
const isOfThisMachine = (host: string): boolean => isLoopback(host) || /^127(\.\d{1,3}){3}$/.test(host);
const names = (header: string | undefined, host: string): boolean => URL.parse(`http://${header}`)?.hostname === host;

/** `sample` is called before each answer, for what is only looked up when somebody asks. */
export const serveMetrics = async (
  at: Address,
  of: { readonly text: () => Promise<string>; readonly sdkPort: number | null; readonly sample: () => Promise<void> },
): Promise<MetricsServer> => {
  const answer = async (): Promise<string> => {
    const [sdk] = await Promise.all([of.sdkPort === null ? '' : fromSdk(of.sdkPort), of.sample()]);
    return `${await of.text()}\n${sdk}`;
  };
  /** Those who ask at the same time get one answer: it asks the database and the Temporal server. */
  let answering: Promise<string> | null = null;
  const shared = (): Promise<string> =>
    (answering ??= answer().finally(() => {
      answering = null;
    }));
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0];
    if (isOfThisMachine(at.host) && !isForLoopback(request.headers.host) && !names(request.headers.host, at.host)) {
      response.writeHead(403).end('expected 127.0.0.1 or localhost in the header Host\n');
      return;
    }
    if (request.method !== 'GET' || (path !== '/metrics' && path !== '/healthz')) {
      response.writeHead(404).end();
      return;
    }
    if (path === '/healthz') {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('ok\n');
      return;
    }
    shared().then(
      (text) => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  // A process that has ended its work does not stay for those who ask.
  server.unref();
  const address = await listening(server, at);
  return {
    address,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
