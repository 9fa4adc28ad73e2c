// A model endpoint inside the test's process: it records what it is asked, and is slow, refuses or goes away when it
// is told to, on one port. Its answers are the offline model's trivial edits: a small change of the parent that
// depends on prompt and seed alone.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { complete, completionBody } from '../../../deploy/offline-model/completion.ts';
import { embed } from '../../../deploy/offline-model/embeddings.ts';
import { NO_FAULTS } from '../../../deploy/offline-model/options.ts';
import { MODEL_ID, readEmbeddingsRequest, readRequest } from '../../../deploy/offline-model/request.ts';

export type Asked = { readonly model: string; readonly prompt: string; readonly n: number; readonly seed: number };
export type Latency = number | ((request: number, prompt: string) => number);
/** Seconds that a request is told to wait (429); null: it is answered. Given the number of the request, from 0. */
export type Limited = (request: number) => number | null;
export type EndpointState = 'answers' | 'refuses' | 'busy' | 'hangs' | 'bills';

export type Endpoint = {
  readonly url: string;
  /** Requests that were answered with choices, in order of arrival; not the one before a run's start. */
  readonly asked: readonly Asked[];
  /**
   * Texts of the requests for embeddings that were answered, in order of arrival; the answers are the offline
   * model's.
   */
  readonly embedded: readonly (readonly string[])[];
  /** Tokens of the answers given, in and out. */
  readonly billed: () => { readonly in: number; readonly out: number };
  /** How many requests for responses came, whatever became of them. */
  readonly arrived: () => number;
  /**
   * From the next request on: answers, refuses the key (401), has no room (503: nothing was worked on), never answers,
   * or names tokens and gives no choices.
   */
  be(state: EndpointState): void;
  /** Answers so many requests more, then refuses the key. */
  refuseAfter(requests: number): void;
  setLatency(ms: Latency): void;
  /** Connections are cut and refused until `comeBack`. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  stop(): Promise<void>;
};

export type EndpointOptions = {
  /** Models that it offers; default: one, `small`. */
  readonly models?: readonly string[];
  /** Before each answer; a function is given the number of the request, from 0, and what is asked. */
  readonly latencyMs?: Latency;
  /** Tokens of each answer, whatever its length; default: counted. */
  readonly usage?: (n: number) => { readonly in: number; readonly out: number };
  /** Answers are prose without any edit. */
  readonly garbage?: boolean;
  /** Requests over the rate limit. */
  readonly limited?: Limited;
  /** Answers that edit a program leave the log of the change out. */
  readonly withoutDeltas?: boolean;
  /** Programs have a bracket that is never closed, until the model is asked to mend them. */
  readonly broken?: boolean;
  /**
   * A request for token ids and logprobs gets them, in the form of one of these servers: a token is a byte, and 256
   * ends an answer. Default: it gets none.
   */
  readonly tokens?: 'vllm' | 'sglang';
  /** The last change of an answer's body before it is sent. */
  readonly altered?: (body: Completion) => object;
};

export const startEndpoint = async ({
  models = ['small'],
  latencyMs = 0,
  usage,
  garbage = false,
  limited = () => null,
  withoutDeltas = false,
  broken = false,
  tokens: form,
  altered = (body) => body,
}: EndpointOptions = {}): Promise<Endpoint> => {
  const asked: Asked[] = [];
  const embedded: (readonly string[])[] = [];
  const billed = { in: 0, out: 0 };
  let [state, latency, arrived, left]: [EndpointState, Latency, number, number] = ['answers', latencyMs, 0, Infinity];

  const answerTo = (wanted: Wanted): Completion =>
    JSON.parse(completionBody(complete(wanted, { ...NO_FAULTS, trivial: true }, 0, false))) as Completion;

  /** No test counts it, and it takes no time. */
  const first = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const fields = JSON.parse(await bodyOf(request)) as { model: string };
    if (!models.includes(fields.model)) return send(response, 404, error(`there is no model "${fields.model}"`));
    if (state === 'refuses' || state === 'busy')
      return send(response, state === 'refuses' ? 401 : 503, error(`this endpoint ${state}`));
    const wanted = readRequest(JSON.stringify({ ...fields, model: MODEL_ID }));
    send(response, 200, altered({ ...answerTo(wanted), model: fields.model }));
  };

  const chat = async (request: IncomingMessage, response: ServerResponse, number: number): Promise<void> => {
    const fields = JSON.parse(await bodyOf(request)) as {
      model: string;
      n?: number;
      seed?: number;
      max_tokens?: number;
      return_token_ids?: boolean;
    };
    if (!models.includes(fields.model)) return send(response, 404, error(`there is no model "${fields.model}"`));
    const wanted = readRequest(JSON.stringify({ ...fields, model: MODEL_ID }));
    await sleep(typeof latency === 'number' ? latency : latency(number, wanted.promptText), undefined, { ref: false });
    if (response.destroyed) return;
    if (left === 0) state = 'refuses';
    if (state === 'hangs') return;
    if (state === 'bills') return send(response, 200, { usage: { prompt_tokens: 400, completion_tokens: 100 } });
    if (state !== 'answers') return send(response, state === 'refuses' ? 401 : 503, error(`this endpoint ${state}`));
    const seconds = limited(number);
    if (seconds !== null) return send(response, 429, error('over the rate limit'), { 'retry-after': String(seconds) });
    left -= 1;
    asked.push({ model: fields.model, prompt: wanted.promptText, n: wanted.n, seed: wanted.seed });
    const body = answerTo(wanted);
    const tokens = usage?.(wanted.n);
    const paid = tokens ? { prompt_tokens: tokens.in, completion_tokens: tokens.out } : body.usage;
    const said = (content: string): string =>
      garbage
        ? PROSE
        : withoutDeltas
          ? withoutDelta(content)
          : !broken
            ? content
            : wanted.promptText.includes('Your program was not run')
              ? MENDED
              : content.replace(/\n>>>>>>> REPLACE/, '\n(\n>>>>>>> REPLACE');
    const choices = body.choices.map((choice) => ({
      ...choice,
      message: { ...choice.message, content: said(choice.message.content) },
    }));
    const whole = { ...body, choices, model: fields.model, usage: paid };
    const textOnly = form === undefined || fields.return_token_ids !== true;
    send(response, 200, altered(textOnly ? whole : inTokens(whole, wanted.promptText, form, fields.max_tokens)));
    billed.in += paid.prompt_tokens;
    billed.out += paid.completion_tokens;
  };

  const embeddings = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const fields = JSON.parse(await bodyOf(request)) as { model: string };
    if (!models.includes(fields.model)) return send(response, 404, error(`there is no model "${fields.model}"`));
    const { texts, dimensions } = readEmbeddingsRequest(JSON.stringify({ ...fields, model: MODEL_ID }));
    if (state !== 'answers') return send(response, state === 'refuses' ? 401 : 503, error(`this endpoint ${state}`));
    embedded.push(texts);
    const total = texts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
    send(response, 200, {
      object: 'list',
      model: fields.model,
      usage: { prompt_tokens: total, total_tokens: total },
      data: texts.map((text, index) => ({ object: 'embedding', index, embedding: [...embed(text, dimensions)] })),
    });
  };

  const server = createServer((request, response) => {
    if (request.url?.endsWith('/models')) {
      send(
        response,
        state === 'refuses' ? 401 : 200,
        state === 'refuses'
          ? error('this endpoint refuses')
          : { object: 'list', data: models.map((id) => ({ id, object: 'model' })) },
      );
      return;
    }
    if (request.url?.endsWith('/embeddings')) {
      embeddings(request, response).catch((failure: unknown) => send(response, 500, error(String(failure))));
      return;
    }
    if (isFirstRequest(request)) {
      first(request, response).catch((failure: unknown) => send(response, 500, error(String(failure))));
      return;
    }
    arrived += 1;
    chat(request, response, arrived - 1).catch((failure: unknown) => send(response, 500, error(String(failure))));
  });
  server.keepAliveTimeout = 75_000;
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    embedded,
    billed: () => ({ ...billed }),
    arrived: () => arrived,
    be: (next) => {
      [state, left] = [next, Infinity];
    },
    refuseAfter: (requests) => {
      [state, left] = ['answers', requests];
    },
    setLatency: (ms) => {
      latency = ms;
    },
    goAway: close,
    comeBack: () => listen(port),
    stop: close,
  };
};

/** The request that goes out before a run starts (client/runs/first-request.ts). */
export const isFirstRequest = ({ headers }: IncomingMessage): boolean =>
  String(headers['idempotency-key']).startsWith('first-request');

type Wanted = ReturnType<typeof readRequest>;

export type Completion = {
  readonly model: string;
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
  readonly choices: readonly {
    readonly message: { readonly content: string };
    readonly [extension: string]: unknown;
  }[];
  readonly [extension: string]: unknown;
};

const END_OF_ANSWER = 256;

/** The answer with its tokens, whose logprobs are eighths, so that 32 bits hold them exactly. */
const inTokens = (body: Completion, prompt: string, form: 'vllm' | 'sglang', most = Infinity): Completion => {
  const asked = [...Buffer.from(prompt, 'utf8')];
  const choices = body.choices.map((choice) => {
    const all = [...Buffer.from(choice.message.content, 'utf8'), END_OF_ANSWER];
    const ids = all.slice(0, most);
    const logprobs = ids.map((_, index) => -(1 + (index % 7)) / 8);
    const cut =
      ids.length === all.length
        ? choice
        : { ...choice, message: { content: Buffer.from(ids).toString('utf8') }, finish_reason: 'length' };
    return form === 'vllm'
      ? {
          ...cut,
          token_ids: ids,
          logprobs: { content: logprobs.map((logprob) => ({ token: '?', bytes: [63], logprob, top_logprobs: [] })) },
        }
      : {
          ...cut,
          prompt_token_ids: asked,
          meta_info: { output_token_logprobs: ids.map((id, index) => [logprobs[index], id, null]) },
        };
  });
  return { ...body, choices, ...(form === 'vllm' ? { prompt_token_ids: asked } : {}) };
};

/** An answer that is nothing but a log stays. */
const withoutDelta = (content: string): string =>
  content.includes('<<<<<<< SEARCH') ? content.split('#DELTA-SUMMARY-START')[0]! : content;
const MENDED = '<<<<<<< SEARCH\n(\n=======\n>>>>>>> REPLACE';
const PROSE = 'I would make it better. Better is what it would be, and much better too.';

const error = (message: string) => ({ error: { message, type: 'test', code: null } });

const send = (
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void => {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
};
