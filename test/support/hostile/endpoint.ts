// A model endpoint that does harm: each path is one scenario (scenarios in the files beside this one), so that one
// server stands for all of them. `http://127.0.0.1:PORT/<scenario>/v1` is the address of one.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { completion, json, type Scenario, type Seen } from './answers.ts';
import { BODIES } from './bodies.ts';
import { ECHOES } from './echoes.ts';
import { FORMS } from './forms.ts';
import { isFirstRequest } from '../models/endpoint.ts';
import { NUMBERS } from './numbers.ts';

export const SCENARIOS: Readonly<Record<string, Scenario>> = { ...ECHOES, ...BODIES, ...FORMS, ...NUMBERS };

export type Hostile = {
  /** The base URL of a scenario. */
  readonly url: (scenario: string) => string;
  /** Requests that came, by scenario. */
  readonly arrived: ReadonlyMap<string, number>;
  /** Bytes that were sent for the last request of a scenario. */
  readonly sent: ReadonlyMap<string, number>;
  /** Headers and bodies that came to the other host; nothing may. */
  readonly elsewhere: readonly string[];
  stop(): Promise<void>;
};

export type HostileOptions = {
  /** Whether it also answers in the scenario's way when it is asked for its models. */
  readonly harmfulModels?: boolean;
};

/** `all` and `all-streams` are every scenario of their kind in turn, one a request. Asked again, they answer well. */
const inTurn = (streams: boolean): ((key: string) => string) => {
  const names = Object.entries(SCENARIOS).flatMap(([name, { stream = false }]) => (stream === streams ? [name] : []));
  const met = new Set<string>();
  return (key) => {
    if (met.has(key)) return DONE;
    met.add(key);
    return names[(met.size - 1) % names.length]!;
  };
};
const DONE = 'done';

export const startHostile = async ({ harmfulModels = false }: HostileOptions = {}): Promise<Hostile> => {
  const arrived = new Map<string, number>();
  const sent = new Map<string, number>();
  const elsewhere: string[] = [];
  const other = createServer((request, response) => {
    elsewhere.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.end('{}');
  });
  const turns: Readonly<Record<string, (key: string) => string>> = { all: inTurn(false), 'all-streams': inTurn(true) };
  const server = createServer((request, response) => {
    const [, asked = ''] = (request.url ?? '').split('/');
    const parts: Buffer[] = [];
    request.on('data', (chunk: Buffer) => parts.push(chunk));
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    request.on('end', () => {
      const text = Buffer.concat(parts).toString('utf8');
      if (!harmfulModels && request.url?.endsWith('/models')) return json(response, 200, { data: [{ id: 'm' }] });
      if (isFirstRequest(request)) return json(response, 200, completion());
      const name = turns[asked]?.(String(request.headers['idempotency-key'])) ?? asked;
      const scenario = SCENARIOS[name];
      arrived.set(name, (arrived.get(name) ?? 0) + 1);
      const { socket } = request;
      const before = socket.bytesWritten;
      response.once('close', () => sent.set(name, socket.bytesWritten - before));
      if (name === DONE) return json(response, 200, completion());
      if (scenario === undefined) return json(response, 500, { error: { message: `no scenario ${name}` } });
      void Promise.resolve(
        scenario.answer({
          key: keyIn(request),
          body: text === '' ? {} : (JSON.parse(text) as Seen['body']),
          response,
          socket: response.socket!,
          elsewhere: `http://127.0.0.1:${(other.address() as AddressInfo).port}`,
          path: request.url ?? '',
        }),
      ).catch(() => response.destroy());
    });
  });
  server.on('clientError', (_, socket) => socket.destroy());
  for (const one of [server, other]) await new Promise<void>((ready) => one.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: (scenario) => `http://127.0.0.1:${port}/${scenario}/v1`,
    arrived,
    sent,
    elsewhere,
    async stop() {
      for (const one of [server, other]) {
        one.closeAllConnections();
        await new Promise((closed) => one.close(closed));
      }
    },
  };
};

const keyIn = ({ headers }: IncomingMessage): string => (headers.authorization ?? '').replace(/^Bearer /, '');
