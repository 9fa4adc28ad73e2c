// The offline model: an OpenAI-compatible HTTP server whose "model" is a genetic-programming mutation operator and
// whose embeddings are hashes of tokens.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { complete, completionBody, completionEvents } from './completion.ts';
import { embeddingsBody } from './embeddings.ts';
import { createFaultDraw, type Fault } from './faults.ts';
import { INVALID_BYTES } from './kinds.ts';
import { NO_FAULTS, type OfflineModelOptions } from './options.ts';
import { ApiError, MODEL_ID, readEmbeddingsRequest, readRequest } from './request.ts';

const MAX_BODY_BYTES = 16 * 1024 * 1024;
const MODEL = { id: MODEL_ID, object: 'model', created: 0, owned_by: 'durable-evolve' };

export function createOfflineModel(settings: Partial<OfflineModelOptions> = {}): Server {
  const options = { ...NO_FAULTS, ...settings };
  const drawFault = createFaultDraw(options);
  const startedMs = Date.now();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname.replace(/\/+$/, '');
      const route = `${request.method} ${path}`;
      if (route === 'GET /healthz') return sendJson(response, 200, '{"status":"ok"}');
      if (Date.now() - startedMs < options.failAuthMs)
        throw new ApiError(401, 'Incorrect API key provided (the offline model was started with --fail-auth)', {
          code: 'invalid_api_key',
        });
      if (route === 'GET /v1/models') return sendJson(response, 200, JSON.stringify({ object: 'list', data: [MODEL] }));
      if (route === `GET /v1/models/${MODEL_ID}`) return sendJson(response, 200, JSON.stringify(MODEL));
      if (route === 'POST /v1/chat/completions') return await chat(await readBody(request), response);
      if (route === 'POST /v1/embeddings') return await embeddings(await readBody(request), response);
      throw new ApiError(
        404,
        `Unknown request URL: ${route}. This server has GET /v1/models, POST /v1/chat/completions, POST /v1/embeddings and GET /healthz`,
        { code: 'unknown_url' },
      );
    } catch (error) {
      if (!response.headersSent && !response.destroyed) sendError(response, error);
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  // Longer than the idle time of usual clients, so that it is never the server that closes a pooled connection under
  // a request.
  server.keepAliveTimeout = 75_000;
  return server;

  async function chat(body: string, response: ServerResponse): Promise<void> {
    const request = readRequest(body);
    const fault = await meetFault(body, response);
    if (fault === null) return;
    const completion = complete(request, options, Math.floor(Date.now() / 1000), fault === 'empty');
    if (request.stream) sendEvents(response, completionEvents(completion, request.includeUsage), fault);
    else sendBody(response, completionBody(completion), fault);
  }

  async function embeddings(body: string, response: ServerResponse): Promise<void> {
    const request = readEmbeddingsRequest(body);
    const fault = await meetFault(body, response);
    if (fault !== null) sendBody(response, embeddingsBody(request, fault === 'empty'), fault);
  }

  /**
   * Waits as long as an answer takes. Throws the faults that are errors, returns those that are in the answer, and
   * returns null when the client has gone.
   */
  async function meetFault(body: string, response: ServerResponse): Promise<Fault | null> {
    const { fault, latencyMs } = drawFault(body);
    if (latencyMs > 0) await sleep(latencyMs);
    if (response.destroyed) return null;
    if (fault === '429') {
      response.setHeader('retry-after', '1');
      throw new ApiError(429, 'Rate limit reached (injected by --rate-429)', {
        type: 'requests',
        code: 'rate_limit_exceeded',
      });
    }
    if (fault === '500')
      throw new ApiError(500, 'The server had an error (injected by --rate-500)', { type: 'server_error' });
    return fault;
  }
}

function sendBody(response: ServerResponse, body: string, fault: Fault): void {
  if (fault === 'malformed') return sendJson(response, 200, `${body.slice(0, Math.floor(body.length * 0.7))}}}`);
  if (fault === 'cut') return sendHalf(response, 'application/json', bytesOf(body));
  sendJson(response, 200, body);
}

function sendEvents(response: ServerResponse, events: readonly string[], fault: Fault): void {
  if (fault === 'cut') return sendHalf(response, 'text/event-stream', bytesOf(events.join('')));
  const sent =
    fault === 'malformed'
      ? events.map((event, at) => (at === 1 ? 'data: {"id": "chatcmpl-broken", "choices": [{\n\n' : event))
      : events;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const event of sent) response.write(bytesOf(event));
  response.end();
}

/** Announces the whole body, sends the first half and destroys the connection. */
function sendHalf(response: ServerResponse, type: string, body: Buffer): void {
  response.writeHead(200, { 'content-type': type, 'content-length': body.length });
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
}

function sendJson(response: ServerResponse, status: number, body: string): void {
  const bytes = bytesOf(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length });
  response.end(bytes);
}

function sendError(response: ServerResponse, error: unknown): void {
  const apiError =
    error instanceof ApiError
      ? error
      : new ApiError(500, `The offline model failed: ${error instanceof Error ? error.message : String(error)}`, {
          type: 'server_error',
        });
  sendJson(response, apiError.status, apiError.body());
}

function bytesOf(text: string): Buffer {
  if (!text.includes(INVALID_BYTES)) return Buffer.from(text);
  return Buffer.concat(
    text
      .split(INVALID_BYTES)
      .flatMap((part, at) => (at === 0 ? [Buffer.from(part)] : [Buffer.of(0xc3, 0x28, 0xff), Buffer.from(part)])),
  );
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) throw new ApiError(413, `The request body is larger than ${MAX_BODY_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
