// A codec server: the Temporal UI and the Temporal CLI ask it to decrypt payloads, so that people with the keys can
// read them. It speaks Temporal's remote codec protocol: POST /decode and POST /encode.
import proto from '@temporalio/proto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { payloadsWith } from '../../activities/payloads/payloads.ts';
import { readPayloadKeys } from '../../activities/payloads/keys.ts';
import { isForLoopback, isLoopback } from '../../deploy/host/loopback.ts';
import { pageToken } from '../../deploy/host/page-token.ts';
import { type Place, temporalUi } from './connection.ts';
import { UsageError } from './errors.ts';

const { Payloads } = proto.temporal.api.common.v1;
/** Is more than any page of a history holds. */
const MOST_BYTES = 64 * 2 ** 20;

type Options = {
  readonly codec: PayloadCodec;
  /** Web pages of these origins may ask. Callers that are no pages name no origin. */
  readonly origins: readonly string[];
  /** Expected as `Authorization: Bearer <token>`. Null where everybody on this machine may ask. */
  readonly token: string | null;
};

class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MOST_BYTES) throw new Refusal(413, `expected at most ${MOST_BYTES} bytes, got more`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
};

const payloadsIn = (body: string): Payload[] => {
  try {
    return Payloads.fromObject(JSON.parse(body) as Record<string, unknown>).payloads as Payload[];
  } catch (error) {
    throw new Refusal(400, `expected {"payloads": [...]} as Temporal sends it, got ${(error as Error).message}`);
  }
};

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const authorize = ({ headers }: IncomingMessage, token: string | null): void => {
  if (token !== null && !timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`)))
    throw new Refusal(401, 'expected the token of this codec server in the header Authorization (Bearer), got another');
};

/** Pages of other origins are refused and not only kept from reading: a browser sends their requests all the same. */
const allowOrigin = (request: IncomingMessage, response: ServerResponse, origins: readonly string[]): void => {
  const { origin } = request.headers;
  if (origin === undefined) return;
  if (!origins.includes(origin))
    throw new Refusal(
      403,
      `expected a page of ${origins.join(' or ')}, got one of ${origin.slice(0, 200)}: name it with --origin`,
    );
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Allow-Methods', 'POST, OPTIONS');
  response.setHeader('Access-Control-Allow-Headers', request.headers['access-control-request-headers'] ?? '*');
  response.setHeader('Vary', 'Origin');
};

const answer = async (
  request: IncomingMessage,
  response: ServerResponse,
  { codec, origins, token }: Options,
): Promise<string> => {
  if (token === null && !isForLoopback(request.headers.host))
    throw new Refusal(403, 'expected 127.0.0.1 or localhost in the header Host, got another name: name a --token-file');
  allowOrigin(request, response, origins);
  if (request.method === 'OPTIONS') return '';
  // The UI sends options behind the path, such as `?preserveStorageRefs=true`, which are about payloads kept elsewhere.
  const verb = /^\/(decode|encode)\/?(?:\?|$)/.exec(request.url ?? '')?.[1] as 'decode' | 'encode' | undefined;
  if (verb === undefined || request.method !== 'POST')
    throw new Refusal(404, 'expected POST /decode or POST /encode, got something else');
  authorize(request, token);
  const payloads = await codec[verb](payloadsIn(await bodyOf(request)));
  return JSON.stringify(Payloads.toObject(Payloads.create({ payloads }), { bytes: String }));
};

const createCodecServer = (options: Options): Server =>
  createServer((request, response) => {
    answer(request, response, options).then(
      (text) => {
        response.setHeader('Content-Type', 'application/json');
        response.writeHead(text === '' ? 204 : 200).end(text);
      },
      (error: unknown) => {
        response.setHeader('Content-Type', 'text/plain; charset=utf-8');
        response.writeHead(error instanceof Refusal ? error.status : 500).end(`${(error as Error).message}\n`);
      },
    );
  });

const portOf = (text: string): number => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new UsageError(`--port: expected a number from 0 to 65535, got ${JSON.stringify(text.slice(0, 100))}`);
  return Number(text);
};

const originOf = (text: string): string => {
  const { origin } = URL.canParse(text) ? new URL(text) : { origin: 'null' };
  if (origin === 'null')
    throw new UsageError(
      `--origin: expected an address such as http://127.0.0.1:8233, got ${JSON.stringify(text.slice(0, 100))}`,
    );
  return origin;
};

const tokenIn = (path: string): string => {
  try {
    return pageToken(path, { setting: '--token-file' });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
};

/** Resolves when the server listens. Throws UsageError before that where it could not be used, or by anybody. */
export const openCodecServer = async (
  place: Place,
  asked: {
    readonly port: string;
    readonly host: string;
    readonly origin: readonly string[];
    readonly tokenFile?: string;
  },
): Promise<Server> => {
  const port = portOf(asked.port);
  const token = asked.tokenFile === undefined ? null : tokenIn(asked.tokenFile);
  if (token === null && !isLoopback(asked.host))
    throw new UsageError(
      `--host ${asked.host}: others reach this address, and whoever asks gets payloads decrypted: name a --token-file, or listen on 127.0.0.1`,
    );
  const ui = temporalUi(place)?.base;
  const origins = [...asked.origin, ...(ui === undefined ? [] : [ui])].map(originOf);
  const keys = readPayloadKeys(place.env, place.home.root);
  if (keys === null)
    throw new UsageError(
      'expected payload keys in EVOLVE_PAYLOAD_KEYS, EVOLVE_PAYLOAD_KEYS_FILE or the file payload-keys of the data directory, got none: without them nothing can be decrypted',
    );
  const { codec } = payloadsWith(keys, async () => false);
  const server = createCodecServer({ codec, origins, token }).listen(port, asked.host);
  await once(server, 'listening');
  return server;
};
